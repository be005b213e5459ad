import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as ajvFormats from 'ajv-formats';

interface Media {
  readonly schema?: object;
}
interface DocumentedResponse {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}
/** The parts of an OpenAPI document that the check reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas?: object;
    readonly responses?: Readonly<Record<string, DocumentedResponse>>;
  };
}

/** A request and its response. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

/** Checks responses against an OpenAPI 3.1 document. */
export class OpenApiCheck {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  private readonly validators = new Map<Media, ValidateFunction>();

  constructor(readonly document: OpenApiDocument) {
    ajvFormats.default.default(this.ajv);
  }

  /** Compiles the schemas of all responses. Throws if one is invalid. */
  compile(): void {
    const operations = Object.values(this.document.paths).flatMap((path) => Object.values(path));
    const responses = operations.flatMap((operation) => Object.values(operation.responses));
    for (const response of responses)
      for (const media of Object.values(this.resolve(response)?.content ?? {}))
        this.validator(media);
  }

  /**
   * Returns what the document does not allow in a response. A path or method that is not in the
   * document must be refused, and its refusal is not checked further.
   */
  faults(exchange: Exchange): string[] {
    const { method, path, status } = exchange;
    const operation = this.operation(method === 'HEAD' ? 'GET' : method, path);
    if (operation === undefined)
      return status < 400
        ? [`${method} ${path} is not in the document but returned ${status}`]
        : [];
    const response = this.resolve(operation.responses[String(status)]);
    if (response === undefined) return [`status ${status} is not documented`];
    return method === 'HEAD' ? [] : this.bodyFaults(response, exchange);
  }

  private bodyFaults(
    { content }: DocumentedResponse,
    { status, contentType, body }: Exchange,
  ): string[] {
    if (content === undefined && body === undefined) return [];
    const type = contentType?.split(';')[0]?.trim() ?? '';
    const media = content?.[type];
    if (media === undefined) return [`content type ${contentType} of ${status} is not documented`];
    const validate = this.validator(media);
    // the schema of NDJSON describes one line
    const values = type === 'application/x-ndjson' && Array.isArray(body) ? body : [body];
    return values.flatMap((value: unknown) => faultsIn(value, validate));
  }

  private operation(method: string, path: string): Operation | undefined {
    const segments = path.replace(/\/$/, '').split('/');
    const matches = Object.keys(this.document.paths).filter((template) => {
      const parts = template.split('/');
      return (
        parts.length === segments.length &&
        parts.every((part, index) => part.startsWith('{') || part === segments[index])
      );
    });
    const template = matches.toSorted((a, b) => a.split('{').length - b.split('{').length)[0];
    return template === undefined
      ? undefined
      : this.document.paths[template]?.[method.toLowerCase()];
  }

  private resolve(response: DocumentedResponse | undefined): DocumentedResponse | undefined {
    const name = response?.$ref?.replace('#/components/responses/', '');
    return name === undefined ? response : this.document.components.responses?.[name];
  }

  private validator(media: Media): ValidateFunction {
    const known = this.validators.get(media);
    if (known !== undefined) return known;
    const made = this.ajv.compile({
      components: this.document.components,
      allOf: [media.schema ?? {}],
    });
    this.validators.set(media, made);
    return made;
  }
}

const faultsIn = (value: unknown, validate: ValidateFunction): string[] =>
  validate(value)
    ? []
    : (validate.errors ?? []).map(
        ({ instancePath, message, params }) =>
          `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`,
      );

/**
 * The Node flags with which every role is started. The start scripts, the images and the systemd
 * unit repeat them; a test compares them. ADR 13 says what each is for.
 */
export const nodeFlags: readonly string[] = ['--heap-growing-percent=50', '--no-parallel-scavenge'];

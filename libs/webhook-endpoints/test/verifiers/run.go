package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

// Prints for each vector what the documented Go functions return.
func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var file struct {
		Vectors []struct {
			Secret  string
			Now     int64
			Headers map[string]string
			Body    []byte `json:"body_base64"`
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		panic(err)
	}
	said := []map[string]bool{}
	for _, vector := range file.Vectors {
		headers := http.Header{}
		for name, value := range vector.Headers {
			headers.Set(name, value)
		}
		said = append(said, map[string]bool{
			"x_service_signature": verifyPlain(vector.Secret, headers, vector.Body),
			"webhook_signature":   verify(vector.Secret, headers, vector.Body, time.Unix(vector.Now, 0)),
		})
	}
	out, _ := json.Marshal(said)
	fmt.Println(string(out))
}

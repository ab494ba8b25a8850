// Reads requests as net/http does, and forwards what it has read.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net/http"
)

func answer(out http.ResponseWriter, in *http.Request) {
	body, _ := io.ReadAll(in.Body)
	var value any
	if json.Unmarshal(body, &value) == nil {
		body, _ = json.Marshal(value)
	}
	url := "http://@UPSTREAM@" + in.URL.EscapedPath()
	if query := in.URL.Query().Encode(); query != "" {
		url += "?" + query
	}
	sent, err := http.NewRequest(in.Method, url, bytes.NewReader(body))
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	for _, name := range []string{"Content-Type", "X-Client-Application-Id", "X-Client-Token"} {
		sent.Header[name] = in.Header[name]
	}
	response, err := http.DefaultTransport.RoundTrip(sent)
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	out.Header()["Content-Type"] = response.Header["Content-Type"]
	out.WriteHeader(response.StatusCode)
	io.Copy(out, response.Body)
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:@PORT@", http.HandlerFunc(answer)))
}

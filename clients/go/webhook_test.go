package engage

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// vectors are those that all clients and the server share.
type vectors struct {
	Signatures []struct {
		body
		Secrets   []string
		Signature string
		IsValid   bool
	}
	Batches []struct {
		body
		RequestIDs []string
		Messages   []struct{ PushID, Receipt string }
	}
	InvalidBatches []body
}

type body struct {
	Name       string
	Body       string
	BodyBase64 string
}

func (b body) bytes(t *testing.T) []byte {
	if b.BodyBase64 == "" {
		return []byte(b.Body)
	}
	bytes, err := base64.StdEncoding.DecodeString(b.BodyBase64)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func readVectors(t *testing.T) vectors {
	text, err := os.ReadFile("../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var found vectors
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Signatures) == 0 || len(found.Batches) == 0 || len(found.InvalidBatches) == 0 {
		t.Fatal("there are no vectors")
	}
	return found
}

func TestSignatureVectors(t *testing.T) {
	for _, vector := range readVectors(t).Signatures {
		t.Run(vector.Name, func(t *testing.T) {
			bytes := vector.bytes(t)
			if VerifySignature(bytes, vector.Signature, vector.Secrets...) != vector.IsValid {
				t.Errorf("valid is %v", vector.IsValid)
			}
			isOwn := false
			for _, secret := range vector.Secrets {
				isOwn = isOwn || Sign(secret, bytes) == strings.ToLower(strings.TrimSpace(vector.Signature))
			}
			if isOwn != vector.IsValid {
				t.Errorf("Sign does not make it")
			}
		})
	}
}

func TestBatchVectors(t *testing.T) {
	for _, vector := range readVectors(t).Batches {
		t.Run(vector.Name, func(t *testing.T) {
			batch, err := ReadBatch(vector.bytes(t))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(batch.RequestIDs, "\n") != strings.Join(vector.RequestIDs, "\n") {
				t.Errorf("request ids are %q, want %q", batch.RequestIDs, vector.RequestIDs)
			}
			if len(batch.Messages) != len(vector.Messages) {
				t.Fatalf("there are %d messages, want %d", len(batch.Messages), len(vector.Messages))
			}
			for i, message := range batch.Messages {
				want := vector.Messages[i]
				if message.Index != i+1 || message.PushID != want.PushID || string(message.RawReceipt) != want.Receipt {
					t.Errorf("message %d is %q %q, want %q", i, message.PushID, message.RawReceipt, want)
				}
			}
		})
	}
}

func TestInvalidBatchVectors(t *testing.T) {
	for _, vector := range readVectors(t).InvalidBatches {
		t.Run(vector.Name, func(t *testing.T) {
			if _, err := ReadBatch(vector.bytes(t)); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}

func TestParams(t *testing.T) {
	batch, err := ReadBatch([]byte(`[{"push_id":"\ud800","params":{"n":1.50,"t":"x"},"custom_params":null}]`))
	if err != nil {
		t.Fatal(err)
	}
	message := batch.Messages[0]
	found := []string{message.PushID, Text(message.Params["n"]), Text(message.Params["t"]), Text(message.CustomParams["t"])}
	if want := []string{"", "1.50", "x", ""}; !reflect.DeepEqual(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	if _, err := ReadBatch([]byte("null")); err == nil {
		t.Error("null is accepted")
	}
}

func TestReplies(t *testing.T) {
	for want, reply := range map[string][]byte{
		`{"return_code":0,"return_message":"success","data":{"fail_list":[{"index":2,"message":"b"},{"index":3,"message":"a"}]}}`: WriteReply(map[int]string{3: "a", 2: "b"}),
		`{"return_code":0,"return_message":"success","data":{"fail_list":[]}}`:                                                    WriteReply(nil),
		`{"return_code":1,"return_message":"no"}`:                                                                                 WriteFailure("no"),
	} {
		if string(reply) != want {
			t.Errorf("reply is %s, want %s", reply, want)
		}
	}
}

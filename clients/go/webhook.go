package engage

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sort"
	"strings"
	"unicode/utf8"
)

// SignatureHeader is the header of the signature in the platform's
// documentation. A channel may name another one.
const SignatureHeader = "X-SVC-OPS-Signature"

// Sign returns the signature of a body: the lower-case hexadecimal HMAC-SHA1 of
// its exact bytes.
func Sign(secret string, body []byte) string {
	return hex.EncodeToString(sum(secret, body))
}

// VerifySignature reports whether a signature matches a body under one of the
// secrets. Give the bytes of the request as they arrived: JSON that was read and
// written again has another signature. Several secrets are valid while one
// replaces another. The comparison takes the same time whatever the signature is.
func VerifySignature(body []byte, signature string, secrets ...string) bool {
	given, err := hex.DecodeString(strings.Trim(signature, " \t"))
	if err != nil || len(given) != sha1.Size {
		return false
	}
	matches := false
	for _, secret := range secrets {
		if hmac.Equal(sum(secret, body), given) {
			matches = true
		}
	}
	return matches
}

func sum(secret string, body []byte) []byte {
	hash := hmac.New(sha1.New, []byte(secret))
	hash.Write(body)
	return hash.Sum(nil)
}

// Message is one message of a batch.
type Message struct {
	// Index is the number of the message in the batch, from 1 on, as in fail_list.
	Index int

	// PushID is the recipient. It is empty if the message has none, which is a
	// fault of the message.
	PushID string

	// Params is what the operator entered. A value is a JSON text, or a list of
	// objects whose values are texts.
	Params map[string]json.RawMessage

	// CustomParams has user properties that the platform added.
	CustomParams map[string]json.RawMessage

	// RawReceipt is the receipt, byte for byte. It is empty if there is none,
	// which is a fault of the message. Clicks report it unchanged.
	RawReceipt []byte
}

// Batch has the messages of one request.
type Batch struct {
	// RequestIDs are the ids of the batch, each once. There is one at most, unless
	// the sender breaks the specification, and none for journeys. A batch that is
	// sent again has the same id.
	RequestIDs []string

	Messages []Message
}

// ReadBatch reads the body of a request. Receipts are cut from the bytes,
// because writing their JSON again changes most of them. The last one of
// repeated members counts. It fails for a body that is not a JSON array in UTF-8.
func ReadBatch(body []byte) (*Batch, error) {
	if !utf8.Valid(body) {
		return nil, errors.New("the body is not UTF-8")
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &elements); err != nil {
		return nil, err
	}
	if elements == nil {
		return nil, errors.New("the body is null, it must be an array of messages")
	}
	batch := &Batch{}
	seen := map[string]bool{"": true}
	for i, element := range elements {
		members := objectOf(element)
		receipt := members["#ops_receipt_properties"]
		fields := objectOf(receipt)
		if id := textOf(fields["ops_request_id"]); !seen[id] {
			seen[id] = true
			batch.RequestIDs = append(batch.RequestIDs, id)
		}
		if fields == nil {
			receipt = nil
		}
		batch.Messages = append(batch.Messages, Message{
			Index:        i + 1,
			PushID:       textOf(members["push_id"]),
			Params:       objectOf(members["params"]),
			CustomParams: objectOf(members["custom_params"]),
			RawReceipt:   receipt,
		})
	}
	return batch, nil
}

// objectOf returns the members of an object; nil for any other value.
func objectOf(value json.RawMessage) map[string]json.RawMessage {
	if len(value) == 0 || value[0] != '{' {
		return nil
	}
	members := map[string]json.RawMessage{}
	if json.Unmarshal(value, &members) != nil {
		return nil
	}
	return members
}

// textOf returns a text, or a number as it is written; empty for any other value.
func textOf(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	switch first := value[0]; {
	case first == '"':
		var text string
		if json.Unmarshal(value, &text) != nil || isReplaced(value, text) {
			return ""
		}
		return text
	case first == '-' || first >= '0' && first <= '9':
		return string(value)
	default:
		return ""
	}
}

// isReplaced reports whether a text has the replacement character where its JSON
// has half of a surrogate pair, which is no character.
func isReplaced(value json.RawMessage, text string) bool {
	return strings.ContainsRune(text, utf8.RuneError) &&
		!bytes.ContainsRune(value, utf8.RuneError) &&
		!bytes.Contains(bytes.ToLower(value), []byte(`\ufffd`))
}

// Text returns a value of params as a text: a text, or a number as it is written.
func Text(value json.RawMessage) string { return textOf(value) }

type failure struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

type replyData struct {
	FailList []failure `json:"fail_list"`
}

type reply struct {
	ReturnCode    int        `json:"return_code"`
	ReturnMessage string     `json:"return_message"`
	Data          *replyData `json:"data,omitempty"`
}

// WriteReply returns the body of a reply to a batch: success, but for the
// messages with these numbers.
func WriteReply(faults map[int]string) []byte {
	list := []failure{}
	for index, message := range faults {
		list = append(list, failure{index, message})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Index < list[j].Index })
	return encode(reply{ReturnMessage: "success", Data: &replyData{list}})
}

// WriteFailure returns the body of a reply that refuses a whole batch.
func WriteFailure(message string) []byte {
	return encode(reply{ReturnCode: 1, ReturnMessage: message})
}

// encode cannot fail: replies have only numbers and texts.
func encode(value reply) []byte {
	text, _ := json.Marshal(value)
	return text
}

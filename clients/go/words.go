package engage

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	gatewayv1 "engage/clients/go/gen/engage/gateway/v1"
)

// Words returns the words of an enum of the contract in their order, such as
// equal of analysisv1.Comparator(0).Descriptor().
func Words(enum protoreflect.EnumDescriptor) []string {
	var words []string
	for i := 0; i < enum.Values().Len(); i++ {
		if word := wordOf(enum.Values().Get(i)); word != "" {
			words = append(words, word)
		}
	}
	return words
}

func wordOf(value protoreflect.EnumValueDescriptor) string {
	word, _ := proto.GetExtension(value.Options(), gatewayv1.E_JsonWord).(string)
	return word
}

// numberOf returns the number of a word.
func numberOf(field string, enum protoreflect.EnumDescriptor, word string) (protoreflect.EnumNumber, error) {
	for i := 0; i < enum.Values().Len(); i++ {
		if value := enum.Values().Get(i); word != "" && wordOf(value) == word {
			return value.Number(), nil
		}
	}
	words := Words(enum)
	valid := `"` + strings.Join(words, `", "`) + `"`
	for _, one := range words {
		if strings.EqualFold(one, word) {
			return 0, fmt.Errorf("%s is %q, the nearest is %q, valid are %s", field, word, one, valid)
		}
	}
	return 0, fmt.Errorf("%s is %q, valid are %s", field, word, valid)
}

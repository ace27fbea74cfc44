package engage

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"

	analysisv1 "engage/clients/go/gen/engage/analysis/v1"
)

// EventRows calls yield with the rows of DownloadEvents while they arrive: the
// header, then one for each metric and group, as csv.Writer takes them. They are
// those of the CSV with header=names: numbers are written in full, and a cell
// without a value is empty. It ends with the first error of yield.
func EventRows(pieces analysisv1.AnalysisProxy_DownloadEventsClient, yield func([]string) error) error {
	for {
		piece, err := pieces.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := eventRows(piece, yield); err != nil {
			return err
		}
	}
}

func eventRows(piece *analysisv1.DownloadEventsResponse, yield func([]string) error) error {
	if header := piece.GetHeader(); header != nil {
		row := []string{"metric"}
		for _, column := range header.GetGroupColumns() {
			row = append(row, column.GetName())
		}
		for _, bucket := range header.GetX() {
			row = append(row, bucket.GetLabel())
		}
		for _, bucket := range header.GetXCompared() {
			row = append(row, "compared."+bucket.GetLabel())
		}
		return yield(row)
	}
	metric := piece.GetRows()
	for _, entry := range metric.GetEntries() {
		row := []string{metric.GetResultKey()}
		for _, value := range entry.GetGroupCols() {
			row = append(row, value.GetLabel())
		}
		for _, series := range []*analysisv1.Series{entry.GetValues(), entry.GetValuesCompared()} {
			for _, number := range series.GetNumbers() {
				row = append(row, numberText(number))
			}
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	return nil
}

// UserRows calls yield with the rows of DownloadEventUsers while they arrive:
// the header, then one for each user. Lists and objects are written as JSON.
func UserRows(pieces analysisv1.AnalysisProxy_DownloadEventUsersClient, yield func([]string) error) error {
	for {
		piece, err := pieces.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := userRows(piece, yield); err != nil {
			return err
		}
	}
}

func userRows(piece *analysisv1.DownloadEventUsersResponse, yield func([]string) error) error {
	if header := piece.GetHeader(); header != nil {
		row := []string{}
		for _, column := range header.GetColumns() {
			row = append(row, column.GetName())
		}
		return yield(row)
	}
	for _, user := range piece.GetRows().GetRows() {
		row := []string{}
		for _, value := range user.GetValues() {
			row = append(row, valueText(value))
		}
		if err := yield(row); err != nil {
			return err
		}
	}
	return nil
}

func numberText(number float64) string {
	if math.IsNaN(number) {
		return ""
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

func valueText(value *structpb.Value) string {
	switch kind := value.GetKind().(type) {
	case *structpb.Value_StringValue:
		return kind.StringValue
	case *structpb.Value_NumberValue:
		return numberText(kind.NumberValue)
	case *structpb.Value_NullValue, nil:
		return ""
	default:
		text, _ := json.Marshal(value.AsInterface())
		return string(text)
	}
}

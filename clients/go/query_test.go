package engage

import (
	"math"
	"reflect"
	"regexp"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	analysisv1 "engage/clients/go/gen/engage/analysis/v1"
)

func TestUnknownWords(t *testing.T) {
	for want, query := range map[string]*Query{
		`^unit is "Day", the nearest is "day", valid are "minute", .*"total"$`: NewQuery(1).By("Day"),
		`^measure is "COUNT", valid are "TOTAL_TIMES", `:                       NewQuery(1).Metric("pay", "COUNT"),
		`^comparator is "eq", valid are "equal", `:                             NewQuery(1).Filter(AnyOf(Where("a", "eq", 1))),
		`^unit is "week", valid are "day", "hour", "minute"$`:                  NewQuery(1).Filter(Where("a", "equal", 1).Unit("week")),
	} {
		_, err := query.Metric("login", "TOTAL_TIMES").Request()
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
}

func TestRequest(t *testing.T) {
	request, err := NewQuery(7).Recent("1-7").By("hour").
		Percentile("pay", "amount", 90, Where("vip", "isTrue")).
		Formula("arpu", "pay.amount.SUM/login.TRIG_USER_NUM").
		GroupBy("city").GroupByUser("level", 10, 20.5).GroupByCohort("vips").
		Filter(WhereUser("level", "greater", 3), AnyOf(Where("a", "equal", "x", true), AllOf(Where("b", "isNull")))).
		Compare("8-14").Limit(5).Zone(5.5).Request()
	if err != nil {
		t.Fatal(err)
	}
	query := request.GetQuery()
	pay, arpu := query.GetEvents()[0], query.GetEvents()[1]
	view := query.GetEventView()
	level, compound := view.GetFilts()[0], view.GetFilts()[1]
	found := []interface{}{
		query.GetProjectId(), query.GetLimit(), query.GetZoneOffset(),
		pay.GetAnalysis(), pay.GetQuota(), pay.GetAnalysisParams(), pay.GetFilts()[0].GetComparator(),
		arpu.GetType(), arpu.GetEventName(), arpu.GetCustomEvent(),
		view.GetTimeParticleSize(), view.GetRecentDay(), view.GetComparedByTime(), view.GetComparedRecentDay(),
		view.GetGroupBy()[0].GetPropertyRange(), view.GetGroupBy()[1].GetPropertyRange(), view.GetGroupBy()[2].GetTableType(),
		level.GetTableType(), level.GetFtv(),
		compound.GetRelation(), compound.GetFilts()[0].GetFtv(), compound.GetFilts()[1].GetFilterType(),
	}
	want := []interface{}{
		int64(7), int32(5), 5.5,
		analysisv1.Aggregation_AGGREGATION_PERCENTILE, "amount", "90", analysisv1.Comparator_COMPARATOR_IS_TRUE,
		analysisv1.MetricType_METRIC_TYPE_CUSTOMIZED, "arpu", "pay.amount.SUM/login.TRIG_USER_NUM",
		analysisv1.TimeParticleSize_TIME_PARTICLE_SIZE_HOUR, "1-7", true, "8-14",
		"", "10,20.5", analysisv1.TableType_TABLE_TYPE_CLUSTER,
		analysisv1.TableType_TABLE_TYPE_USER, []string{"3"},
		analysisv1.Relation_RELATION_OR, []string{"x", "true"}, analysisv1.FilterType_FILTER_TYPE_COMPOUND,
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("found %v\nwant  %v", found, want)
	}
}

func TestSlices(t *testing.T) {
	query := NewQuery(1).Between("2026-11-01", "2026-11-02").Metric("login", "TOTAL_TIMES").GroupBy("city")
	slice := Slice{Metric: 0, Group: []*string{Label("Porto"), nil}, Bucket: "2026-11-01"}
	users, err := query.Users(slice)
	if err != nil {
		t.Fatal(err)
	}
	values := users.GetQuery().GetSliceGroupVal()
	if _, isNull := values[1].GetValue().(*analysisv1.GroupValue_NullValue); values[0].GetLabel() != "Porto" || !isNull {
		t.Errorf("group is %v", values)
	}
	if users.GetQuery().EventIndex == nil || users.GetQuery().GetSliceDate() != "2026-11-01" {
		t.Errorf("query is %v", users.GetQuery())
	}
	rows, err := query.DownloadUsers(slice, "#account_id")
	if err != nil || !reflect.DeepEqual(rows.GetQuery().GetSelectedColumns(), []string{"#account_id"}) {
		t.Errorf("query is %v, error is %v", rows, err)
	}
	request, err := query.Request()
	if err != nil || request.GetQuery().Limit != nil || request.GetQuery().ZoneOffset != nil {
		t.Errorf("query is %v, error is %v", request, err)
	}
	if download, err := query.Download(); err != nil || download.GetQuery().GetProjectId() != 1 {
		t.Errorf("query is %v, error is %v", download, err)
	}
}

func bucket(label string) *analysisv1.TimeBucket { return &analysisv1.TimeBucket{Label: label} }

func TestEventRows(t *testing.T) {
	var rows [][]string
	yield := func(row []string) error { rows = append(rows, row); return nil }
	for _, piece := range []*analysisv1.DownloadEventsResponse{
		{Content: &analysisv1.DownloadEventsResponse_Header{Header: &analysisv1.EventTableHeader{
			GroupColumns: []*analysisv1.Column{{Name: "city", DisplayName: "City"}},
			X:            []*analysisv1.TimeBucket{bucket("a"), bucket("b")},
			XCompared:    []*analysisv1.TimeBucket{bucket("c")},
		}}},
		{Content: &analysisv1.DownloadEventsResponse_Rows{Rows: &analysisv1.MetricResult{
			ResultKey: "n",
			Entries: []*analysisv1.GroupEntry{{
				GroupCols:      []*analysisv1.GroupValue{{Value: &analysisv1.GroupValue_Label{Label: "Porto"}}},
				Values:         &analysisv1.Series{Numbers: []float64{1e21, math.NaN()}},
				ValuesCompared: &analysisv1.Series{Numbers: []float64{2.5}},
			}},
		}}},
	} {
		if err := eventRows(piece, yield); err != nil {
			t.Fatal(err)
		}
	}
	want := [][]string{{"metric", "city", "a", "b", "compared.c"}, {"n", "Porto", "1000000000000000000000", "", "2.5"}}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("rows are %q, want %q", rows, want)
	}
}

func TestUserRows(t *testing.T) {
	var rows [][]string
	yield := func(row []string) error { rows = append(rows, row); return nil }
	list, err := structpb.NewValue([]interface{}{"x"})
	if err != nil {
		t.Fatal(err)
	}
	values := []*structpb.Value{structpb.NewStringValue("ann"), structpb.NewNumberValue(7), structpb.NewNullValue(), structpb.NewBoolValue(true), list}
	for _, piece := range []*analysisv1.DownloadEventUsersResponse{
		{Content: &analysisv1.DownloadEventUsersResponse_Header{Header: &analysisv1.UserTableHeader{
			Columns: []*analysisv1.Column{{Name: "#account_id"}},
		}}},
		{Content: &analysisv1.DownloadEventUsersResponse_Rows{Rows: &analysisv1.UserRows{
			Rows: []*analysisv1.UserRow{{Values: values}},
		}}},
	} {
		if err := userRows(piece, yield); err != nil {
			t.Fatal(err)
		}
	}
	if want := [][]string{{"#account_id"}, {"ann", "7", "", "true", `["x"]`}}; !reflect.DeepEqual(rows, want) {
		t.Errorf("rows are %q, want %q", rows, want)
	}
}

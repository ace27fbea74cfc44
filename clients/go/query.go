package engage

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	analysisv1 "engage/clients/go/gen/engage/analysis/v1"
)

// Filter is a condition of a query, from Where, AnyOf or AllOf.
type Filter struct {
	message *analysisv1.Filter
	err     error
}

// Where returns a condition on a property of events: Where("city", "equal",
// "Porto"). The comparators are in the reference of the query language. Times
// are yyyy-MM-dd HH:mm:ss.
func Where(column, comparator string, values ...interface{}) Filter {
	return where("event", column, comparator, values)
}

// WhereUser returns a condition on a property of users.
func WhereUser(column, comparator string, values ...interface{}) Filter {
	return where("user", column, comparator, values)
}

// WhereCohort returns a condition on a cohort or tag.
func WhereCohort(name, comparator string, values ...interface{}) Filter {
	return where("cluster", name, comparator, values)
}

func where(table, column, comparator string, values []interface{}) Filter {
	tableType, _ := numberOf("table", analysisv1.TableType(0).Descriptor(), table)
	number, err := numberOf("comparator", analysisv1.Comparator(0).Descriptor(), comparator)
	message := &analysisv1.Filter{
		ColumnName: column,
		TableType:  analysisv1.TableType(tableType),
		Comparator: analysisv1.Comparator(number),
	}
	for _, value := range values {
		message.Ftv = append(message.Ftv, fmt.Sprint(value))
	}
	return Filter{message, err}
}

// Unit sets the unit of a relativeEvent comparator: day, hour or minute.
func (f Filter) Unit(unit string) Filter {
	number, err := numberOf("unit", analysisv1.TimeUnit(0).Descriptor(), unit)
	f.message.TimeUnit = analysisv1.TimeUnit(number)
	f.err = first(f.err, err)
	return f
}

// AnyOf returns a condition that holds if one of these holds.
func AnyOf(filters ...Filter) Filter {
	return compound(analysisv1.Relation_RELATION_OR, filters)
}

// AllOf returns a condition that holds if all of these hold.
func AllOf(filters ...Filter) Filter {
	return compound(analysisv1.Relation_RELATION_AND, filters)
}

func compound(relation analysisv1.Relation, filters []Filter) Filter {
	messages, err := messagesOf(filters)
	return Filter{&analysisv1.Filter{
		FilterType: analysisv1.FilterType_FILTER_TYPE_COMPOUND,
		Relation:   relation,
		Filts:      messages,
	}, err}
}

func messagesOf(filters []Filter) (messages []*analysisv1.Filter, err error) {
	for _, filter := range filters {
		messages = append(messages, filter.message)
		err = first(err, filter.err)
	}
	return messages, err
}

func first(one, other error) error {
	if one != nil {
		return one
	}
	return other
}

// Query builds a query of events with the words of the REST form, such as day,
// TRIG_USER_NUM and equal. Its methods change it and return it, so that they can
// be chained; those that return a request also return the first wrong word.
type Query struct {
	projectID  int64
	view       *analysisv1.EventView
	metrics    []*analysisv1.EventMetric
	limit      *int32
	zoneOffset *float64
	err        error
}

// NewQuery returns a query of a project by days.
func NewQuery(projectID int64) *Query {
	return &Query{
		projectID: projectID,
		view:      &analysisv1.EventView{TimeParticleSize: analysisv1.TimeParticleSize_TIME_PARTICLE_SIZE_DAY},
	}
}

// Recent sets a relative range: 1-7 is the last seven days, 0-1 today, W0 this
// week, M1 the last month.
func (q *Query) Recent(days string) *Query {
	q.view.RecentDay = days
	return q
}

// Between sets the range by its first and last second, yyyy-MM-dd HH:mm:ss, or by days.
func (q *Query) Between(start, end string) *Query {
	q.view.StartTime, q.view.EndTime = start, end
	return q
}

// By sets the width of a bucket: day, which is the default, hour, week, total and others.
func (q *Query) By(unit string) *Query {
	number, err := numberOf("unit", analysisv1.TimeParticleSize(0).Descriptor(), unit)
	q.view.TimeParticleSize = analysisv1.TimeParticleSize(number)
	q.err = first(q.err, err)
	return q
}

// Metric adds a metric of an event: Metric("login", "TOTAL_TIMES"). The event
// anyEvent is all events.
func (q *Query) Metric(event, measure string, filters ...Filter) *Query {
	return q.MetricOf(event, measure, "", filters...)
}

// MetricOf adds a metric of a property: MetricOf("pay", "SUM", "amount").
func (q *Query) MetricOf(event, measure, property string, filters ...Filter) *Query {
	return q.addMetric(event, measure, property, "", filters)
}

// Percentile adds a percentile of a property, from 1 to 100.
func (q *Query) Percentile(event, property string, percentile int, filters ...Filter) *Query {
	return q.addMetric(event, "PERCENTILE", property, strconv.Itoa(percentile), filters)
}

func (q *Query) addMetric(event, measure, property, parameters string, filters []Filter) *Query {
	number, err := numberOf("measure", analysisv1.Aggregation(0).Descriptor(), measure)
	messages, wrong := messagesOf(filters)
	q.err = first(q.err, first(err, wrong))
	q.metrics = append(q.metrics, &analysisv1.EventMetric{
		Type:           analysisv1.MetricType_METRIC_TYPE_NORMAL,
		EventName:      event,
		Analysis:       analysisv1.Aggregation(number),
		Quota:          property,
		AnalysisParams: parameters,
		Filts:          messages,
	})
	return q
}

// Formula adds a metric that is computed from others:
// Formula("arpu", "pay.amount.SUM/login.TRIG_USER_NUM").
func (q *Query) Formula(name, formula string, filters ...Filter) *Query {
	messages, err := messagesOf(filters)
	q.err = first(q.err, err)
	q.metrics = append(q.metrics, &analysisv1.EventMetric{
		Type:        analysisv1.MetricType_METRIC_TYPE_CUSTOMIZED,
		EventName:   name,
		CustomEvent: formula,
		Filts:       messages,
	})
	return q
}

// GroupBy groups by the values of a property of events, or by the intervals of a
// number between boundaries.
func (q *Query) GroupBy(column string, boundaries ...float64) *Query {
	return q.groupBy(analysisv1.TableType_TABLE_TYPE_EVENT, column, boundaries)
}

// GroupByUser groups by a property of users.
func (q *Query) GroupByUser(column string, boundaries ...float64) *Query {
	return q.groupBy(analysisv1.TableType_TABLE_TYPE_USER, column, boundaries)
}

// GroupByCohort groups by a cohort or tag.
func (q *Query) GroupByCohort(name string) *Query {
	return q.groupBy(analysisv1.TableType_TABLE_TYPE_CLUSTER, name, nil)
}

func (q *Query) groupBy(table analysisv1.TableType, column string, boundaries []float64) *Query {
	texts := make([]string, len(boundaries))
	for i, boundary := range boundaries {
		texts[i] = strconv.FormatFloat(boundary, 'f', -1, 64)
	}
	q.view.GroupBy = append(q.view.GroupBy, &analysisv1.GroupBy{
		ColumnName:    column,
		TableType:     table,
		PropertyRange: strings.Join(texts, ","),
	})
	return q
}

// Filter adds conditions to all metrics. All of them must hold.
func (q *Query) Filter(filters ...Filter) *Query {
	messages, err := messagesOf(filters)
	q.err = first(q.err, err)
	q.view.Filts = append(q.view.Filts, messages...)
	return q
}

// Compare also computes the metrics over a second range.
func (q *Query) Compare(days string) *Query {
	q.view.ComparedByTime = true
	q.view.ComparedRecentDay = days
	return q
}

// Limit limits the groups of each metric. Downloads have all groups.
func (q *Query) Limit(groups int32) *Query {
	q.limit = &groups
	return q
}

// Zone sets the zone; without it, it is the project's.
func (q *Query) Zone(hoursEastOfUTC float64) *Query {
	q.zoneOffset = &hoursEastOfUTC
	return q
}

// Request returns the request of AnalyzeEvents.
func (q *Query) Request() (*analysisv1.AnalyzeEventsRequest, error) {
	return &analysisv1.AnalyzeEventsRequest{Query: &analysisv1.EventQuery{
		ProjectId:  q.projectID,
		EventView:  q.view,
		Events:     q.metrics,
		Limit:      q.limit,
		ZoneOffset: q.zoneOffset,
	}}, q.err
}

// Download returns the request of DownloadEvents.
func (q *Query) Download() (*analysisv1.DownloadEventsRequest, error) {
	return &analysisv1.DownloadEventsRequest{Query: &analysisv1.EventDownloadQuery{
		ProjectId:  q.projectID,
		EventView:  q.view,
		Events:     q.metrics,
		ZoneOffset: q.zoneOffset,
	}}, q.err
}

// Slice names one number of a result.
type Slice struct {
	// Metric is the index of the metric.
	Metric int32

	// Group has the labels of the group, with nil for no value.
	Group []*string

	// Bucket is the label on the time axis, which a query by total has not.
	Bucket string
}

// Label returns a label of a group.
func Label(text string) *string { return &text }

func (s Slice) group() []*analysisv1.GroupValue {
	values := make([]*analysisv1.GroupValue, len(s.Group))
	for i, label := range s.Group {
		values[i] = &analysisv1.GroupValue{Value: &analysisv1.GroupValue_NullValue{NullValue: structpb.NullValue_NULL_VALUE}}
		if label != nil {
			values[i] = &analysisv1.GroupValue{Value: &analysisv1.GroupValue_Label{Label: *label}}
		}
	}
	return values
}

// Users returns the request of ListEventUsers, for the users behind one number.
func (q *Query) Users(slice Slice) (*analysisv1.ListEventUsersRequest, error) {
	return &analysisv1.ListEventUsersRequest{Query: &analysisv1.EventUserQuery{
		ProjectId:     q.projectID,
		EventView:     q.view,
		Events:        q.metrics,
		ZoneOffset:    q.zoneOffset,
		SliceDate:     slice.Bucket,
		SliceGroupVal: slice.group(),
		EventIndex:    &slice.Metric,
	}}, q.err
}

// DownloadUsers returns the request of DownloadEventUsers, with these columns of users.
func (q *Query) DownloadUsers(slice Slice, columns ...string) (*analysisv1.DownloadEventUsersRequest, error) {
	return &analysisv1.DownloadEventUsersRequest{Query: &analysisv1.EventUserDownloadQuery{
		ProjectId:       q.projectID,
		EventView:       q.view,
		Events:          q.metrics,
		ZoneOffset:      q.zoneOffset,
		SliceDate:       slice.Bucket,
		SliceGroupVal:   slice.group(),
		EventIndex:      &slice.Metric,
		SelectedColumns: columns,
	}}, q.err
}

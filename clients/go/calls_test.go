package engage

import (
	"context"
	"errors"
	"net"
	"reflect"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	analysisv1 "engage/clients/go/gen/engage/analysis/v1"
	channelv1 "engage/clients/go/gen/engage/channel/v1"
	handlerv1 "engage/clients/go/gen/engage/handler/v1"
	webhookv1 "engage/clients/go/gen/engage/webhook/v1"
)

const runTask = "engage.channel.v1.ChannelSender/RunTask"

// refusal returns an error of the service. A delay below zero is none.
func refusal(code codes.Code, delay time.Duration) error {
	found := status.New(code, "not now")
	if delay >= 0 {
		found, _ = found.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(delay)})
	}
	return found.Err()
}

// server fails as often as failures has entries.
type server struct {
	analysisv1.UnimplementedAnalysisProxyServer
	channelv1.UnimplementedChannelSenderServer
	failures []error
	calls    int
	key      string
}

func (s *server) answer(ctx context.Context) error {
	s.calls++
	headers, _ := metadata.FromIncomingContext(ctx)
	if given := headers.Get("authorization"); len(given) > 0 {
		s.key = given[0]
	}
	if len(s.failures) == 0 {
		return nil
	}
	failure := s.failures[0]
	s.failures = s.failures[1:]
	return failure
}

func (s *server) AnalyzeEvents(ctx context.Context, _ *analysisv1.AnalyzeEventsRequest) (*analysisv1.AnalyzeEventsResponse, error) {
	return &analysisv1.AnalyzeEventsResponse{}, s.answer(ctx)
}

func (s *server) RunTask(ctx context.Context, _ *channelv1.RunTaskRequest) (*channelv1.RunTaskResponse, error) {
	return &channelv1.RunTaskResponse{}, s.answer(ctx)
}

// listen serves on loopback for the time of a test and returns the address.
func listen(t *testing.T, grpcServer *grpc.Server) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = grpcServer.Serve(listener) }()
	t.Cleanup(grpcServer.Stop)
	return listener.Addr().String()
}

func dial(t *testing.T, address string, options Options) *grpc.ClientConn {
	connection, err := Dial(address, options, grpc.WithInsecure())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

func open(t *testing.T) (*server, string) {
	played := &server{}
	grpcServer := grpc.NewServer()
	analysisv1.RegisterAnalysisProxyServer(grpcServer, played)
	channelv1.RegisterChannelSenderServer(grpcServer, played)
	return played, listen(t, grpcServer)
}

func analyze(ctx context.Context, connection *grpc.ClientConn) error {
	_, err := analysisv1.NewAnalysisProxyClient(connection).AnalyzeEvents(ctx, &analysisv1.AnalyzeEventsRequest{})
	return err
}

func run(ctx context.Context, connection *grpc.ClientConn) error {
	_, err := channelv1.NewChannelSenderClient(connection).RunTask(ctx, &channelv1.RunTaskRequest{})
	return err
}

// retriesOf returns the default retries, which record delays instead of waiting.
func retriesOf(delays *[]time.Duration, repeatable ...string) *Retries {
	retries := DefaultRetries
	retries.Repeatable = repeatable
	retries.sleep = func(_ context.Context, delay time.Duration) error {
		*delays = append(*delays, delay)
		return nil
	}
	return &retries
}

func TestRepeats(t *testing.T) {
	unavailable := refusal(codes.Unavailable, time.Second)
	exhausted := refusal(codes.ResourceExhausted, time.Second)
	second := []time.Duration{time.Second}
	for name, one := range map[string]struct {
		call       func(context.Context, *grpc.ClientConn) error
		failures   []error
		repeatable []string
		code       codes.Code
		delays     []time.Duration
	}{
		"no failure":                           {call: analyze},
		"the delay of the service":             {call: analyze, failures: []error{unavailable, refusal(codes.ResourceExhausted, 5*time.Second)}, delays: []time.Duration{time.Second, 5 * time.Second}},
		"at most four calls":                   {call: analyze, failures: []error{unavailable, unavailable, unavailable, unavailable, unavailable}, code: codes.Unavailable, delays: []time.Duration{time.Second, time.Second, time.Second}},
		"a delay that is too long":             {call: analyze, failures: []error{refusal(codes.Unavailable, 31*time.Second)}, code: codes.Unavailable},
		"a fault of the call":                  {call: analyze, failures: []error{refusal(codes.InvalidArgument, time.Second)}, code: codes.InvalidArgument},
		"a message that is too large":          {call: analyze, failures: []error{refusal(codes.ResourceExhausted, -1)}, code: codes.ResourceExhausted},
		"a change that may have been made":     {call: run, failures: []error{unavailable}, code: codes.Unavailable},
		"a change that was refused before":     {call: run, failures: []error{exhausted}, delays: second},
		"a change that may be repeated":        {call: run, failures: []error{unavailable}, repeatable: []string{runTask}, delays: second},
		"another change that may be repeated":  {call: run, failures: []error{unavailable}, repeatable: []string{"another"}, code: codes.Unavailable},
		"no repeat after the call's deadline":  {call: analyze, failures: []error{refusal(codes.Unavailable, 25*time.Second)}, code: codes.Unavailable},
		"a delay of zero, which is no mistake": {call: analyze, failures: []error{refusal(codes.Unavailable, 0)}, delays: []time.Duration{0}},
	} {
		t.Run(name, func(t *testing.T) {
			played, address := open(t)
			played.failures = one.failures
			var delays []time.Duration
			connection := dial(t, address, Options{Retries: retriesOf(&delays, one.repeatable...)})
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if code := status.Code(one.call(ctx, connection)); code != one.code {
				t.Errorf("code is %v, want %v", code, one.code)
			}
			if !reflect.DeepEqual(delays, one.delays) || played.calls != len(one.delays)+1 {
				t.Errorf("delays are %v after %d calls, want %v", delays, played.calls, one.delays)
			}
		})
	}
}

func TestOwnDelaysGrow(t *testing.T) {
	played, address := open(t)
	own := refusal(codes.Unavailable, -1)
	played.failures = []error{own, own, own}
	var delays []time.Duration
	if err := analyze(context.Background(), dial(t, address, Options{Retries: retriesOf(&delays)})); err != nil {
		t.Fatal(err)
	}
	for i, delay := range delays {
		longest := DefaultRetries.FirstDelay << i
		if delay < longest/2 || delay > longest {
			t.Errorf("delay %d is %v, want %v to %v", i, delay, longest/2, longest)
		}
	}
	if len(delays) != 3 {
		t.Errorf("there are %d delays, want 3", len(delays))
	}
}

func TestDetailsAndKey(t *testing.T) {
	played, address := open(t)
	played.failures = []error{refusal(codes.ResourceExhausted, 2500*time.Millisecond)}
	connection := dial(t, address, Options{Key: "demo-token", Retries: &Retries{MaxAttempts: 1}})
	delay, ok := RetryDelay(analyze(context.Background(), connection))
	if delay != 2500*time.Millisecond || !ok {
		t.Errorf("delay is %v, %v", delay, ok)
	}
	if played.key != "Bearer demo-token" {
		t.Errorf("key is %q", played.key)
	}
	if _, ok := RetryDelay(errors.New("another")); ok {
		t.Error("there is a delay")
	}
}

func TestChangesNothing(t *testing.T) {
	for method, want := range map[string]bool{
		"engage.analysis.v1.AnalysisProxy/AnalyzeEvents": true,
		runTask: false,
		"engage.analysis.v1.AnalysisProxy/NoSuchMethod": false,
		"engage.analysis.v1.AnalysisProxy":              false,
	} {
		if ChangesNothing(method) != want {
			t.Errorf("%s: want %v", method, want)
		}
	}
}

func handle(_ context.Context, message *webhookv1.HandedMessage, _ *webhookv1.MessageBatch) error {
	switch message.GetPushId() {
	case "gone":
		return &Dead{"account closed"}
	case "busy":
		return &Retry{"queue is full", 1500 * time.Millisecond}
	case "later":
		return &Retry{Reason: "queue is full"}
	case "broken":
		return errors.New("secret-7")
	case "panic":
		panic("secret-8")
	default:
		return nil
	}
}

func callHandler(t *testing.T, key string, options ...grpc.ServerOption) ([]*webhookv1.MessageResult, error) {
	grpcServer := grpc.NewServer(options...)
	RegisterHandler(grpcServer, handle)
	connection := dial(t, listen(t, grpcServer), Options{Key: key})
	batch := &webhookv1.MessageBatch{}
	for i, pushID := range []string{"ann", "gone", "busy", "later", "broken", "panic"} {
		batch.Messages = append(batch.Messages, &webhookv1.HandedMessage{Index: int32(i + 1), PushId: pushID})
	}
	request := &handlerv1.HandleRequest{Batch: batch}
	response, err := handlerv1.NewMessageHandlerClient(connection).Handle(context.Background(), request)
	return response.GetResults(), err
}

func TestHandler(t *testing.T) {
	results, err := callHandler(t, "")
	if err != nil {
		t.Fatal(err)
	}
	var found []interface{}
	for _, result := range results {
		after := result.GetRetryAfter()
		found = append(found, result.GetIndex(), result.GetDone() != nil, result.GetDead().GetReason(), after.GetReason(), after.GetDelay().AsDuration(), after.GetDelay() != nil)
	}
	want := []interface{}{
		int32(1), true, "", "", time.Duration(0), false,
		int32(2), false, "account closed", "", time.Duration(0), false,
		int32(3), false, "", "queue is full", 1500 * time.Millisecond, true,
		int32(4), false, "", "queue is full", time.Duration(0), false,
		int32(5), false, "", "the handler failed", time.Duration(0), false,
		int32(6), false, "", "the handler failed", time.Duration(0), false,
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("found %v\nwant  %v", found, want)
	}
}

func TestBearer(t *testing.T) {
	for key, want := range map[string]codes.Code{
		"target-key": codes.OK,
		"another":    codes.Unauthenticated,
		"":           codes.Unauthenticated,
	} {
		if _, err := callHandler(t, key, RequireBearer("target-key")); status.Code(err) != want {
			t.Errorf("with %q the error is %v, want %v", key, err, want)
		}
	}
}

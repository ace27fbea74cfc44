package engage

import (
	"context"
	"math/rand"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	gatewayv1 "engage/clients/go/gen/engage/gateway/v1"
)

// Retries says which unary calls are repeated, and how often.
//
// A call that changes nothing is repeated after UNAVAILABLE, and so is one that
// Repeatable names. Any call is repeated that the service refused before it
// began, which is RESOURCE_EXHAUSTED with a delay. A call that changes something
// is otherwise not repeated: it may have been carried out.
type Retries struct {
	// MaxAttempts is the number of calls in all. 1 repeats no call.
	MaxAttempts int

	// FirstDelay is the delay where the service names none. It doubles with each
	// attempt, and half of it is random.
	FirstDelay time.Duration

	// MaxDelay is the longest delay: a call for which the service asks for a
	// longer one is not repeated.
	MaxDelay time.Duration

	// Repeatable has full names of methods whose calls may be repeated although
	// they change something, such as engage.event.v1.EventCollector/Track for
	// records with a uuid.
	Repeatable []string

	// sleep waits; for tests.
	sleep func(context.Context, time.Duration) error
}

// DefaultRetries are the retries of a connection that names no others.
var DefaultRetries = Retries{MaxAttempts: 4, FirstDelay: 200 * time.Millisecond, MaxDelay: 30 * time.Second}

// RetryDelay returns the time after which the service says that a call may
// succeed, and whether it says so.
func RetryDelay(err error) (time.Duration, bool) {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.RetryInfo); ok && info.RetryDelay != nil {
			return info.RetryDelay.AsDuration(), true
		}
	}
	return 0, false
}

// ChangesNothing reports whether the contract says that a method, named as in
// package.Service/Method, changes nothing.
func ChangesNothing(method string) bool {
	name := protoreflect.FullName(strings.ReplaceAll(method, "/", "."))
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		return false
	}
	options, ok := found.Options().(*descriptorpb.MethodOptions)
	if !ok || options == nil {
		return false
	}
	if options.GetIdempotencyLevel() == descriptorpb.MethodOptions_NO_SIDE_EFFECTS {
		return true
	}
	gateway, _ := proto.GetExtension(options, gatewayv1.E_Gateway).(*gatewayv1.GatewayOptions)
	return gateway.GetReadOnly()
}

func (r *Retries) intercept(
	ctx context.Context, method string, request, reply interface{},
	connection *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	for attempt := 1; ; attempt++ {
		err := invoke(ctx, method, request, reply, connection, options...)
		if err == nil {
			return nil
		}
		delay, ok := r.delayOf(err, strings.TrimPrefix(method, "/"), attempt)
		if !ok || r.isTooLate(ctx, delay) || r.wait(ctx, delay) != nil {
			return err
		}
	}
}

// delayOf returns the time to wait before a failed call is repeated, and whether it is.
func (r *Retries) delayOf(err error, method string, attempt int) (time.Duration, bool) {
	if attempt >= r.MaxAttempts {
		return 0, false
	}
	hint, hasHint := RetryDelay(err)
	code := status.Code(err)
	isRefused := code == codes.ResourceExhausted && hasHint
	isSafe := code == codes.Unavailable && (r.isRepeatable(method) || ChangesNothing(method))
	if !isRefused && !isSafe {
		return 0, false
	}
	if hasHint {
		return hint, hint <= r.MaxDelay
	}
	delay := r.FirstDelay
	for doubled := 1; doubled < attempt && delay < r.MaxDelay; doubled++ {
		delay *= 2
	}
	if delay > r.MaxDelay {
		delay = r.MaxDelay
	}
	return delay/2 + time.Duration(rand.Int63n(int64(delay/2)+1)), true
}

func (r *Retries) isRepeatable(method string) bool {
	for _, name := range r.Repeatable {
		if name == method {
			return true
		}
	}
	return false
}

func (r *Retries) isTooLate(ctx context.Context, delay time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) <= delay
}

func (r *Retries) wait(ctx context.Context, delay time.Duration) error {
	if r.sleep != nil {
		return r.sleep(ctx, delay)
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

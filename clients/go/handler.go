package engage

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	handlerv1 "engage/clients/go/gen/engage/handler/v1"
	webhookv1 "engage/clients/go/gen/engage/webhook/v1"
)

// Retry is returned for a message that cannot be handled now and is to be sent again.
type Retry struct {
	Reason string

	// After is the minimum delay. Zero: the delay of the target's configuration.
	After time.Duration
}

func (r *Retry) Error() string { return r.Reason }

// Dead is returned for a message that can never be handled and becomes a dead letter.
type Dead struct{ Reason string }

func (d *Dead) Error() string { return d.Reason }

// HandleMessage handles one message of a batch. It returns nil when the message
// is done, and *Retry or *Dead when it is not. After any other error, which is
// logged, the message is sent again. A message can arrive more than once: one
// that must not be handled twice is known by its DeliveryId and the batch's Replay.
type HandleMessage func(context.Context, *webhookv1.HandedMessage, *webhookv1.MessageBatch) error

// RegisterHandler adds a handler to a server: the service that a target of kind grpc calls.
func RegisterHandler(server *grpc.Server, handle HandleMessage) {
	handlerv1.RegisterMessageHandlerServer(server, &handler{handle: handle})
}

type handler struct {
	handlerv1.UnimplementedMessageHandlerServer
	handle HandleMessage
}

// Handle handles the messages of a batch one by one.
func (h *handler) Handle(
	ctx context.Context, request *handlerv1.HandleRequest,
) (*handlerv1.HandleResponse, error) {
	response := &handlerv1.HandleResponse{}
	batch := request.GetBatch()
	for _, message := range batch.GetMessages() {
		result := resultOf(message, h.run(ctx, message, batch))
		response.Results = append(response.Results, result)
	}
	return response, nil
}

// run calls the handler, whose panic is an error of one message.
func (h *handler) run(
	ctx context.Context, message *webhookv1.HandedMessage, batch *webhookv1.MessageBatch,
) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return h.handle(ctx, message, batch)
}

func resultOf(message *webhookv1.HandedMessage, err error) *webhookv1.MessageResult {
	result := &webhookv1.MessageResult{Index: message.GetIndex()}
	var dead *Dead
	var retry *Retry
	switch {
	case err == nil:
		result.Outcome = &webhookv1.MessageResult_Done{Done: &webhookv1.Done{}}
	case errors.As(err, &dead):
		result.Outcome = &webhookv1.MessageResult_Dead{Dead: &webhookv1.Dead{Reason: dead.Reason}}
	case errors.As(err, &retry):
		result.Outcome = retryAfter(retry.Reason, retry.After)
	default:
		// The text of an unforeseen error may have secrets, and the reason is shown to operators.
		log.Printf("message %s could not be handled: %v", message.GetDeliveryId(), err)
		result.Outcome = retryAfter("the handler failed", 0)
	}
	return result
}

func retryAfter(reason string, delay time.Duration) *webhookv1.MessageResult_RetryAfter {
	after := &webhookv1.RetryAfter{Reason: reason}
	if delay > 0 {
		after.Delay = durationpb.New(delay)
	}
	return &webhookv1.MessageResult_RetryAfter{RetryAfter: after}
}

// RequireBearer returns an option of a server which refuses calls without this
// text, which the target's setting bearer has.
func RequireBearer(text string) grpc.ServerOption {
	expected := []byte("Bearer " + text)
	return grpc.UnaryInterceptor(func(
		ctx context.Context, request interface{}, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler,
	) (interface{}, error) {
		headers, _ := metadata.FromIncomingContext(ctx)
		for _, given := range headers.Get("authorization") {
			if subtle.ConstantTimeCompare([]byte(given), expected) == 1 {
				return next(ctx, request)
			}
		}
		return nil, status.Error(codes.Unauthenticated, "the bearer token is missing or wrong")
	})
}

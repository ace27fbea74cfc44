// Package engage is the client of an engage server. The packages in gen have
// the messages and clients of its contract; this one has what makes them easier
// to use: connections that repeat what is safe to repeat, queries, downloads as
// rows, handlers of messages, and webhooks.
package engage

import (
	"context"

	"google.golang.org/grpc"
)

// Options are the settings of a connection. The zero value is usable.
type Options struct {
	// Key is a key or a query token, which is sent with each call. It is secret:
	// give grpc.WithTransportCredentials for a server on another machine.
	Key string

	// Retries are the calls that are repeated. Nil repeats those of DefaultRetries.
	Retries *Retries
}

// Dial opens a connection to a server, such as 127.0.0.1:8080, for the clients
// in gen. Without TLS the options must include grpc.WithInsecure or its successor.
func Dial(address string, options Options, dial ...grpc.DialOption) (*grpc.ClientConn, error) {
	retries := options.Retries
	if retries == nil {
		retries = &DefaultRetries
	}
	all := []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes), grpc.MaxCallSendMsgSize(maxMessageBytes)),
		// Retries knows what is safe to repeat.
		grpc.WithDisableRetry(),
		grpc.WithUnaryInterceptor(retries.intercept),
	}
	if options.Key != "" {
		all = append(all, grpc.WithPerRPCCredentials(bearer(options.Key)))
	}
	return grpc.Dial(address, append(all, dial...)...)
}

const maxMessageBytes = 1<<31 - 1

// bearer sends a key with each call.
type bearer string

func (key bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(key)}, nil
}

func (bearer) RequireTransportSecurity() bool { return false }

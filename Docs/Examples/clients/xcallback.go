// Package xcallback is a client of xcallbackd in one file, to be copied. It needs Go 1.19 or later, and nothing else.
//
//	var client xcallback.Client
//	note, err := client.Run(ctx, "notes:/find", xcallback.Values{"title": {"Milk & honey"}, "tags": {"home", "shop"}})
//
//	err = client.Serve(ctx, "editor", 4, func(ctx context.Context, request xcallback.Request) (xcallback.Values, error) {
//		return xcallback.Values{"length": {strconv.Itoa(len(request.Items.Get("text")))}}, nil
//	})
//
//	err = client.Subscribe(ctx, []string{"notes.saved"}, func(event xcallback.Event) {
//		fmt.Println(event.Items.Get("id"))
//	})
package xcallback

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/url"
	"os"
	"os/user"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Values are the parameters of an action, or the items of its answer. A name without a value has an empty list.
type Values map[string][]string

// Get returns the first value of a name, or an empty text.
func (v Values) Get(name string) string { return url.Values(v).Get(name) }

// A Request is what is delivered: the interface describes it as a 'Delivery'. Items are all parameters as texts, Parameters
// are the same with the types of the route.
type Request struct {
	ID, URL, Route, Action, Query, Fragment, User, Host, Port, Origin, Source string

	Items                       Values
	Parameters, Data, Callbacks map[string]any
	Peer                        struct{ UID, GID, PID int }
	Limit                       float64 // The number of seconds left to respond.
}

// A Handler answers requests. An error that is neither ErrCancelled nor a CallbackError is logged, and the caller gets a
// 500. The context ends when nobody waits for the answer anymore.
type Handler func(ctx context.Context, request Request) (Values, error)

// An Event is what is published to a topic; or it only has the number of events that were lost.
type Event struct {
	Topic  string
	Items  Values
	Missed int
}

// ErrCancelled says that the request was cancelled, for example by a person. A handler may return it, too.
var ErrCancelled = errors.New("the request was cancelled")

// A CallbackError is the error that a request has ended in. A handler returns one to say what its caller sees.
type CallbackError struct {
	Code    int
	Message string
}

func (e *CallbackError) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// A ClientError says that the daemon did not do what it was asked for. The name is that of an error of its interface, or
// 'Unread' (no daemon has read the call), 'Unanswered' (it went away after that), or 'Untrusted' (the socket is another
// user's).
type ClientError struct {
	Name, Message string
	Parameters    map[string]any
}

func (e *ClientError) Error() string { return e.Name + ": " + e.Message }

// A Client is the daemon, as a program asks it. The zero value is ready for use, by many goroutines at a time.
type Client struct {
	Path  string // The socket; if empty, the client finds it.
	Limit int    // How many calls are made at a time, while more wait in line; if 0, 16.

	once  sync.Once
	turns chan struct{}
}

// Run asks for the answer to a URL with parameters.
func (c *Client) Run(ctx context.Context, target string, parameters Values) (Values, error) {
	if len(parameters) > 0 {
		separator := "?"
		if strings.Contains(target, "?") {
			separator = "&"
		}
		target += separator + parameters.query()
	}
	var answer struct {
		Outcome, Message string
		Items            Values
		Code             int
	}
	if err := c.Call(ctx, "Open", map[string]any{"url": target}, &answer); err != nil {
		return nil, err
	}
	switch answer.Outcome {
	case "success":
		return answer.Items, nil
	case "cancel":
		return nil, ErrCancelled
	case "redirect":
		return nil, &CallbackError{503, "Another application answers this."}
	default:
		return nil, &CallbackError{answer.Code, answer.Message}
	}
}

// Serve answers what is delivered to a name, up to a number of requests at a time, at most 64. It returns when the context
// ends, or when it cannot receive.
func (c *Client) Serve(ctx context.Context, name string, concurrently int, handler Handler) error {
	type delivery struct {
		Request *Request
		Ended   string
	}
	var running sync.Map // The ids of requests, and how to end their handlers.
	parameters := map[string]any{"name": name, "prefetch": concurrently}
	return stream(ctx, c, "Receive", parameters, func(ctx context.Context, reply delivery) {
		if end, ok := running.Load(reply.Ended); ok {
			end.(context.CancelFunc)()
		}
		if request := reply.Request; request != nil {
			wanted, end := context.WithCancel(ctx)
			running.Store(request.ID, end)
			go func() {
				c.respond(ctx, *request, handle(wanted, *request, handler))
				running.Delete(request.ID)
				end()
			}()
		}
	})
}

// Subscribe calls a function with each event of some topics. It returns when the context ends, or when it cannot subscribe.
func (c *Client) Subscribe(ctx context.Context, topics []string, each func(Event)) error {
	type publication struct{ Event *Event }
	return stream(ctx, c, "Subscribe", map[string]any{"topics": topics}, func(_ context.Context, reply publication) {
		if reply.Event != nil {
			each(*reply.Event)
		}
	})
}

// Call calls a method and stores its reply, or drops it if that is nil. It calls again, for two seconds, if the call was not
// read as a whole or is over a limit.
func (c *Client) Call(ctx context.Context, method string, parameters, reply any) error {
	c.once.Do(func() {
		if c.Limit == 0 {
			c.Limit = 16
		}
		c.turns = make(chan struct{}, c.Limit)
	})
	select {
	case c.turns <- struct{}{}:
		defer func() { <-c.turns }()
		return c.repeat(ctx, method, parameters, reply)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) repeat(ctx context.Context, method string, parameters, reply any) error {
	for end := time.Now().Add(2 * time.Second); ; {
		err := c.exchange(ctx, method, parameters, reply)
		if !isTemporary(err) || time.Now().After(end) {
			return err
		}
		if err := sleep(ctx, time.Duration(rand.Intn(100))*time.Millisecond); err != nil {
			return err
		}
	}
}

func (c *Client) exchange(ctx context.Context, method string, parameters, reply any) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	connection, err := c.send(ctx, call{Method: method, Parameters: parameters})
	if err != nil {
		return err
	}
	return connection.receive(ctx, reply)
}

// stream makes a call with many replies, and makes it again after a restart of the daemon. The context of a reply ends with
// its connection.
func stream[Reply any](
	ctx context.Context, c *Client, method string, parameters any, each func(context.Context, Reply),
) error {
	transient := map[string]bool{"LimitReached": true, "Stopping": true, "Unanswered": true, "Unavailable": true, "Unread": true}
	receive := func() error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		connection, err := c.send(ctx, call{Method: method, Parameters: parameters, More: true})
		for err == nil {
			var reply Reply
			if err = connection.receive(ctx, &reply); err == nil {
				each(ctx, reply)
				// A reload of the configuration may take these away and bring them back.
				transient["UnknownName"], transient["UnknownTopic"] = true, true
			}
		}
		return err
	}
	for pause := time.Duration(0); ; {
		start := time.Now()
		if err := receive(); !transient[nameOf(err)] {
			return err
		}
		pause = 2*pause + 10*time.Millisecond
		if time.Since(start) > time.Second {
			pause = 0
		} else if pause > 5*time.Second {
			pause = 5 * time.Second
		}
		if err := sleep(ctx, time.Duration(float64(pause)*(0.5+rand.Float64()/2))); err != nil {
			return err
		}
	}
}

// A response is what 'Respond' takes.
type response struct {
	ID      string `json:"id"`
	Outcome string `json:"outcome"`
	Items   Values `json:"items,omitempty"`
	Code    int    `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

func failure() response {
	return response{Outcome: "error", Code: 500, Message: "The handler has failed."}
}

// handle returns what a handler responds, or a cancel as soon as the context ends.
func handle(ctx context.Context, request Request, handler Handler) response {
	responses := make(chan response, 1)
	go func() {
		items, err := handler(ctx, request)
		var refusal *CallbackError
		switch {
		case err == nil:
			responses <- response{Outcome: "success", Items: items}
		case errors.Is(err, ErrCancelled) || ctx.Err() != nil:
			responses <- response{Outcome: "cancel"}
		case errors.As(err, &refusal):
			responses <- response{Outcome: "error", Code: refusal.Code, Message: refusal.Message}
		default:
			log.Printf("the handler of %s has failed: %v", request.Route, err)
			responses <- failure()
		}
	}()
	select {
	case response := <-responses:
		return response
	case <-ctx.Done():
		return response{Outcome: "cancel"}
	}
}

// respond does not wait in line, because handlers may use up the turns.
func (c *Client) respond(ctx context.Context, request Request, response response) {
	response.ID = request.ID
	err := c.repeat(ctx, "Respond", response, nil)
	switch nameOf(err) {
	case "TooLate", "AlreadyAnswered", "UnknownRequest":
		return
	}
	if err != nil && ctx.Err() == nil {
		log.Printf("the response to %s cannot be sent: %v", request.Route, err)
		response = failure()
		response.ID = request.ID
		c.repeat(ctx, "Respond", response, nil)
	}
}

type call struct {
	Method     string `json:"method"`
	Parameters any    `json:"parameters,omitempty"`
	More       bool   `json:"more,omitempty"`
}

type connection struct{ *bufio.Reader }

// send connects to the daemon, and sends a call. The connection closes when the context ends.
func (c *Client) send(ctx context.Context, call call) (*connection, error) {
	path := c.Path
	if path == "" {
		path = socketPath()
	}
	socket, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, os.ErrNotExist):
		return nil, &ClientError{Name: "Unread", Message: fmt.Sprintf("cannot reach the daemon: %v", err)}
	case err != nil:
		return nil, err
	}
	go func() {
		<-ctx.Done()
		socket.Close()
	}()
	if err := checkPeer(socket); err != nil {
		return nil, err
	}
	call.Method = "org.xcallback.Router." + call.Method
	text, err := json.Marshal(call)
	if err != nil {
		return nil, err
	}
	if _, err := socket.Write(append(text, 0)); err != nil {
		return nil, explain(ctx, err)
	}
	return &connection{bufio.NewReader(socket)}, nil
}

func (c *connection) receive(ctx context.Context, reply any) error {
	text, err := c.ReadBytes(0)
	if err != nil {
		return explain(ctx, err)
	}
	var message struct {
		Error      string
		Parameters json.RawMessage
	}
	if err := json.Unmarshal(text[:len(text)-1], &message); err != nil {
		return err
	}
	if message.Error != "" {
		return refusal(message.Error, message.Parameters)
	}
	if reply == nil || message.Parameters == nil {
		return nil
	}
	return json.Unmarshal(message.Parameters, reply)
}

func refusal(name string, parameters json.RawMessage) error {
	failure := &ClientError{Name: name[strings.LastIndex(name, ".")+1:], Message: string(parameters)}
	if err := json.Unmarshal(parameters, &failure.Parameters); err == nil {
		if message, ok := failure.Parameters["message"].(string); ok {
			failure.Message = message
		}
	}
	return failure
}

// explain returns the error of a context that has ended, or the reason for the end of a connection.
func explain(ctx context.Context, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF):
		return &ClientError{Name: "Unanswered", Message: "the daemon has read the call, and gone before it answered"}
	case errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNRESET): // It could not be sent, or was left unread.
		return &ClientError{Name: "Unread", Message: "the daemon has gone before it had read the call"}
	}
	return err
}

// checkPeer checks that the daemon belongs to this user, to root, or to the user 'xcallback'.
func checkPeer(socket *net.UnixConn) error {
	raw, err := socket.SyscallConn()
	if err != nil {
		return err
	}
	var peer *syscall.Ucred
	var failure error
	err = raw.Control(func(descriptor uintptr) {
		peer, failure = syscall.GetsockoptUcred(int(descriptor), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err != nil || failure != nil {
		return errors.New("cannot identify the daemon")
	}
	if peer.Uid == 0 || int(peer.Uid) == os.Geteuid() {
		return nil
	}
	if daemon, err := user.Lookup("xcallback"); err == nil && daemon.Uid == strconv.Itoa(int(peer.Uid)) {
		return nil
	}
	return &ClientError{Name: "Untrusted", Message: fmt.Sprintf("uid %d serves the socket, neither you nor root nor 'xcallback'", peer.Uid)}
}

// socketPath returns the path that is set; else the user's socket if it is there or was a moment ago; else the system's.
func socketPath() string {
	if path := os.Getenv("XCALLBACK_SOCKET"); path != "" {
		return path
	}
	runtime := os.Getenv("XDG_RUNTIME_DIR")
	if runtime == "" {
		runtime = fmt.Sprintf("/run/user/%d", os.Geteuid())
	}
	user := runtime + "/xcallbackd"
	folder, err := os.Stat(user)
	_, missing := os.Stat(user + "/socket")
	if missing == nil || err == nil && time.Since(folder.ModTime()) < 2*time.Second {
		return user + "/socket"
	}
	return "/run/xcallbackd/socket"
}

type item struct {
	Name  string  `json:"name"`
	Value *string `json:"value,omitempty"`
}

// items returns the values in the order of their names.
func (v Values) items() []item {
	items := []item{}
	for name, values := range v {
		if len(values) == 0 {
			items = append(items, item{name, nil})
		}
		for index := range values {
			items = append(items, item{name, &values[index]})
		}
	}
	sort.SliceStable(items, func(one, other int) bool { return items[one].Name < items[other].Name })
	return items
}

func (v Values) query() string {
	var parts []string
	for _, item := range v.items() {
		part := url.QueryEscape(item.Name)
		if item.Value != nil {
			part += "=" + url.QueryEscape(*item.Value)
		}
		parts = append(parts, part)
	}
	return strings.ReplaceAll(strings.Join(parts, "&"), "+", "%20")
}

// MarshalJSON writes a list of items, as the interface has it.
func (v Values) MarshalJSON() ([]byte, error) { return json.Marshal(v.items()) }

// UnmarshalJSON reads a list of items.
func (v *Values) UnmarshalJSON(text []byte) error {
	var items []item
	err := json.Unmarshal(text, &items)
	*v = Values{}
	for _, item := range items {
		values := (*v)[item.Name]
		if item.Value != nil {
			values = append(values, *item.Value)
		}
		(*v)[item.Name] = values
	}
	return err
}

// nameOf returns the name of a ClientError, or an empty text.
func nameOf(err error) string {
	var failure *ClientError
	if errors.As(err, &failure) {
		return failure.Name
	}
	return ""
}

// isTemporary says whether the same call may succeed later. One that is too long never does.
func isTemporary(err error) bool {
	var failure *ClientError
	if !errors.As(err, &failure) {
		return false
	}
	return failure.Name == "Unread" || failure.Name == "LimitReached" && failure.Parameters["name"] != "message"
}

func sleep(ctx context.Context, duration time.Duration) error {
	select {
	case <-time.After(duration):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

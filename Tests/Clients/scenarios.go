// What the tests do with the client for Go: scenarios SCENARIO [ACTION...]. 'scenarios.mjs' does the same.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.org/notes/xcallback"
)

var client xcallback.Client
var ctx, stop = context.WithCancel(context.Background())

type (
	request = xcallback.Request
	values  = xcallback.Values
)

// serve serves until the scenario ends.
func serve(concurrently int, handler xcallback.Handler) {
	go func() {
		if err := client.Serve(ctx, "app", concurrently, handler); ctx.Err() == nil {
			fmt.Println(err)
		}
	}()
}

var scenarios = map[string]func(){
	"values": func() {
		serve(4, func(_ context.Context, request request) (values, error) {
			delete(request.Items, "path")
			return request.Items, nil
		})
		given := values{
			"text": {"é&=%\n+ #?/\\\"'\t😀"}, "empty": {""}, "list": {"", "a,b", "&"}, "none": {}, "one": {"1"},
			"self": {"a"}, "ключ&=": {"ü"},
		}
		expected := values{"none": nil}
		for name, list := range given {
			expected[name] = append(expected[name], list...)
		}
		show("n:/app/any", given, expected)
		show("n:/app/any?a=1", values{"a": {"2"}, "b": {"3"}}, values{"a": {"1", "2"}, "b": {"3"}})
		show("n:/app/any", nil, values{})
	},

	"typed": func() {
		serve(4, func(_ context.Context, request request) (values, error) {
			if request.Parameters["done"] != true {
				return nil, errors.New("not a bool")
			}
			return values{"sum": {fmt.Sprint(request.Parameters["id"].(float64) + 1)}}, nil
		})
		answer, err := client.Run(ctx, "n:/typed/7", values{"done": {"true"}})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(answer.Get("sum"))
	},

	"ends": func() {
		serve(4, func(_ context.Context, request request) (values, error) {
			switch request.Action {
			case "/app/refuse":
				return nil, &xcallback.CallbackError{Code: 4711, Message: "Nöt & today"}
			case "/app/cancel":
				return nil, xcallback.ErrCancelled
			case "/app/fail":
				return nil, errors.New("it has failed")
			case "/app/nul":
				return values{"a": {"\x00"}}, nil
			default:
				return values{"x-success": {"a"}}, nil
			}
		})
		for _, name := range []string{"refuse", "cancel", "fail", "nul", "name"} {
			end(name, run(ctx, "n:/app/"+name))
		}
		end("none", run(ctx, "n:/none"))
		end("gone", run(ctx, "n:/gone"))
		end("long", run(ctx, "n:/echo?v="+strings.Repeat("a", 100_000)))
		end("longer", run(ctx, "n:/echo?v="+strings.Repeat("a", 2_000_000)))
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		end("slow", run(short, "n:/slow"))
		end("nobody", client.Serve(ctx, "nobody", 4, nil))
		nowhere := xcallback.Client{Path: "/nowhere/socket"}
		_, err := nowhere.Run(ctx, "n:/echo", nil)
		end("nowhere", err)
	},

	"many": func() {
		serve(64, func(ctx context.Context, request request) (values, error) {
			if request.Action == "/app/once" {
				return values{"v": request.Items["v"]}, nil
			}
			// What handlers ask for must not use up what the responses need.
			inner, err := client.Run(ctx, "n:/app/once", values{"v": request.Items["v"]})
			return values{"v": {inner.Get("v") + inner.Get("v")}}, err
		})
		var other xcallback.Client // As many at a time as the daemon allows.
		var group sync.WaitGroup
		answers, expected := make([]string, 500), make([]string, 500)
		for number := range answers {
			group.Add(1)
			text := strconv.Itoa(number)
			expected[number] = text + text
			go func(place *string) {
				defer group.Done()
				answer, err := other.Run(ctx, "n:/app/twice", values{"v": {text}})
				*place = answer.Get("v")
				if err != nil {
					*place = err.Error()
				}
			}(&answers[number])
		}
		group.Wait()
		compare(answers, expected)
	},

	"wait": func() {
		serve(1, func(ctx context.Context, request request) (values, error) {
			if request.Action != "/app/ping" {
				fmt.Println("begun", request.Action)
				<-ctx.Done()
				fmt.Println("cancelled", request.Action)
			}
			return nil, nil
		})
		select {}
	},

	"events": func() {
		fmt.Println(client.Subscribe(ctx, []string{"t.one", "t.two"}, func(event xcallback.Event) {
			if event.Missed > 0 {
				fmt.Println("missed")
			} else {
				fmt.Println(event.Topic, event.Items.Get("v"))
			}
		}))
	},

	"load": func() {
		var handled sync.Map
		var numbers, answers atomic.Int64
		serve(8, func(_ context.Context, request request) (values, error) {
			if _, isKnown := handled.LoadOrStore(request.Items.Get("v"), true); isKnown {
				fmt.Println("twice")
			}
			return values{"v": request.Items["v"]}, nil
		})
		load := func(action string) {
			for ctx.Err() == nil {
				number := strconv.FormatInt(numbers.Add(1), 10)
				answer, err := client.Run(ctx, "n:/"+action, values{"v": {number}})
				var failure *xcallback.ClientError
				if errors.As(err, &failure) {
					fmt.Println(failure.Name)
				} else if err != nil || answer.Get("v") != number && answer.Get("result") != number {
					fmt.Println(answer, err, number)
				}
				if answers.Add(1)%50 == 0 {
					fmt.Print(".")
				}
			}
		}
		for _, action := range os.Args[2:] {
			for count := 0; count < 8; count++ {
				go load(action)
			}
		}
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		<-signals
		os.Exit(0)
	},

	"untrusted": func() { end("untrusted", run(ctx, "n:/secret")) },
}

func run(ctx context.Context, url string) error {
	_, err := client.Run(ctx, url, nil)
	return err
}

func show(url string, parameters, expected values) {
	answer, err := client.Run(ctx, url, parameters)
	if err != nil {
		fmt.Println(err)
	}
	compare(answer, expected)
}

func compare(value, expected any) {
	if reflect.DeepEqual(value, expected) {
		fmt.Println("equal")
	} else {
		fmt.Printf("%v instead of %v\n", value, expected)
	}
}

func end(name string, err error) {
	var refusal *xcallback.CallbackError
	var failure *xcallback.ClientError
	switch {
	case errors.As(err, &refusal):
		fmt.Println(name, refusal.Code, refusal.Message)
	case errors.As(err, &failure):
		fmt.Println(name, failure.Name)
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Println(name, "timeout")
	case errors.Is(err, xcallback.ErrCancelled):
		fmt.Println(name, "cancelled")
	default:
		fmt.Println(name, err)
	}
}

func main() {
	scenarios[os.Args[1]]()
	stop()
}

"""Points the official packages at the scripted model: what they understand, any client understands.

Usage: check.py ADDRESS, where the scripted model serves script.yaml. Says what is wrong and ends with 1, or with 0.
"""

import json
import os
import sys
import traceback
import urllib.request

# The model is on this machine, whatever stands between it and the rest of the world.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"

import anthropic
import openai

ADDRESS = sys.argv[1].rstrip("/")
KEY = "sdk-check"
MODEL = "scripted-1"
SYSTEM = "You are forecaster."
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
HELLO = "Hello from the script, “wörds” and all."
CITIES = [{"city": "Paris", "days": 2}, {"city": "Oslo", "days": 1}]


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def raises(kind, action):
    try:
        answer = action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected, but it answered {answer!r}")


def asked():
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{ADDRESS}/asked") as answer:
        return [json.loads(line) for line in answer]


class OpenAI:
    tools = [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]

    def __init__(self, key=KEY):
        self.client = openai.OpenAI(base_url=f"{ADDRESS}/v1", api_key=key, max_retries=2, timeout=20)
        self.errors = openai

    def create(self, user, **more):
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": user}]
        return self.client.chat.completions.create(**{"model": MODEL, "messages": messages, **more})

    def plain(self):
        answer = self.create("hello")
        same(answer.choices[0].message.content, HELLO)
        same(answer.choices[0].finish_reason, "stop")
        same((answer.usage.prompt_tokens, answer.usage.completion_tokens, answer.usage.total_tokens), (12, 9, 21))
        same(self.create("so long", max_tokens=4).choices[0].finish_reason, "length")

    def streaming(self):
        chunks = list(self.create("hello", stream=True, stream_options={"include_usage": True}))
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        same(text, HELLO)
        assert len(chunks) > 5, "the answer comes in pieces"
        same(chunks[-1].usage.completion_tokens, 9)
        same([chunk.usage for chunk in chunks[:-1]], [None] * (len(chunks) - 1))

    def tool_calls(self):
        answer = self.create("one tool", tools=self.tools).choices[0]
        same(answer.finish_reason, "tool_calls")
        same(answer.message.content, None)
        same([json.loads(call.function.arguments) for call in answer.message.tool_calls], [{"city": "forecaster"}])

    def parallel_tool_calls(self):
        message = self.create("the weather?", tools=self.tools).choices[0].message
        self.results(message)
        with self.client.chat.completions.stream(
            model=MODEL, messages=[{"role": "user", "content": "the weather?"}], tools=self.tools
        ) as stream:
            for _ in stream:
                pass
            message = stream.get_final_completion().choices[0].message
        # The helper adds what it parsed, which is no part of the format.
        calls = [call.model_dump(include={"id": True, "type": True, "function": {"name", "arguments"}})
                 for call in message.tool_calls]
        plain = {"role": "assistant", "content": message.content, "tool_calls": calls}
        self.results(openai.types.chat.ChatCompletionMessage.model_validate(plain))

    def results(self, message):
        same(message.content, "Let me look.")
        same([json.loads(call.function.arguments) for call in message.tool_calls], CITIES)
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": text}
            for call, text in zip(message.tool_calls, ["sun", "rain"])
        ]
        messages = [{"role": "user", "content": "the weather?"}, message, *results]
        answer = self.create("", messages=messages, tools=self.tools)
        same(answer.choices[0].message.content, "Take an umbrella: rain.")
        same((answer.usage.prompt_tokens, answer.usage.prompt_tokens_details.cached_tokens), (300, 200))
        # A result too few is a question that the service refuses.
        raises(openai.BadRequestError, lambda: self.create("", messages=messages[:-1], tools=self.tools))

    def bad_questions(self):
        error = raises(openai.BadRequestError, lambda: self.create("x", temperature=9))
        same((error.param, error.code, error.type), ("temperature", "invalid_value", "invalid_request_error"))
        raises(openai.BadRequestError, lambda: self.create("x", extra_body={"mood": "good"}))
        raises(openai.NotFoundError, lambda: self.create("x", model="other"))

    def models(self):
        same([model.id for model in self.client.models.list()], [MODEL])

    def cut(self):
        heard = []

        def listen():
            for chunk in self.create("cut", stream=True):
                heard.append(chunk.choices[0].delta.content or "")

        raises(Exception, listen)
        same("".join(heard), "one two three ")


class Anthropic:
    tools = [{"name": "get_weather", "input_schema": SCHEMA}]

    def __init__(self, key=KEY):
        self.client = anthropic.Anthropic(base_url=ADDRESS, api_key=key, max_retries=2, timeout=20)
        self.errors = anthropic

    def create(self, user, **more):
        return self.client.messages.create(**self.question(user, **more))

    def question(self, user, **more):
        messages = [{"role": "user", "content": user}]
        return {"model": MODEL, "max_tokens": 100, "system": SYSTEM, "messages": messages, **more}

    def plain(self):
        answer = self.create("hello")
        same([block.text for block in answer.content], [HELLO])
        same(answer.stop_reason, "end_turn")
        same((answer.usage.input_tokens, answer.usage.output_tokens), (12, 9))
        same(self.create("so long").stop_reason, "max_tokens")

    def streaming(self):
        with self.client.messages.stream(**self.question("hello")) as stream:
            pieces = list(stream.text_stream)
            answer = stream.get_final_message()
        same("".join(pieces), HELLO)
        assert len(pieces) > 5, "the answer comes in pieces"
        same((answer.usage.input_tokens, answer.usage.output_tokens, answer.stop_reason), (12, 9, "end_turn"))
        kinds = [event.type for event in self.create("hello", stream=True)]
        same((kinds[0], kinds[-2], kinds[-1]), ("message_start", "message_delta", "message_stop"))

    def tool_calls(self):
        answer = self.create("one tool", tools=self.tools)
        same(answer.stop_reason, "tool_use")
        same([block.input for block in answer.content], [{"city": "forecaster"}])

    def parallel_tool_calls(self):
        self.results(self.create("the weather?", tools=self.tools))
        with self.client.messages.stream(**self.question("the weather?", tools=self.tools)) as stream:
            self.results(stream.get_final_message())

    def results(self, answer):
        text, *calls = answer.content
        same(text.text, "Let me look.")
        same([call.input for call in calls], CITIES)
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": text}
            for call, text in zip(calls, ["sun", "rain"])
        ]
        messages = [
            {"role": "user", "content": "the weather?"},
            {"role": "assistant", "content": answer.content},
            {"role": "user", "content": results},
        ]
        told = self.create("", messages=messages, tools=self.tools)
        same(told.content[0].text, "Take an umbrella: rain.")
        same((told.usage.input_tokens, told.usage.cache_read_input_tokens), (100, 200))
        # A result too few is a question that the service refuses.
        messages[2] = {"role": "user", "content": results[:1]}
        raises(anthropic.BadRequestError, lambda: self.create("", messages=messages, tools=self.tools))

    def bad_questions(self):
        error = raises(anthropic.BadRequestError, lambda: self.create("x", max_tokens=-1))
        same(error.body["error"]["type"], "invalid_request_error")
        raises(anthropic.BadRequestError, lambda: self.create("x", extra_body={"mood": "good"}))
        raises(anthropic.NotFoundError, lambda: self.create("x", model="other"))
        twice = [{"role": "user", "content": "x"}, {"role": "user", "content": "y"}]
        raises(anthropic.BadRequestError, lambda: self.create("", messages=twice))

    def models(self):
        same([model.id for model in self.client.models.list()], [MODEL])

    def cut(self):
        heard = []

        def listen():
            with self.client.messages.stream(**self.question("cut")) as stream:
                for text in stream.text_stream:
                    heard.append(text)

        raises(Exception, listen)
        same("".join(heard), "one two three ")


def limits(side):
    before = len(asked())
    answer = side.create(f"{type(side).__name__} is once limited").model_dump_json()
    assert "Now it works." in answer, answer
    same([line["status"] for line in asked()[before:]], [429, 200])
    before = len(asked())
    error = raises(side.errors.RateLimitError, lambda: side.create("always limited"))
    assert "Slow down." in str(error), error
    same([line["status"] for line in asked()[before:]], [429, 429, 429])
    raises(side.errors.InternalServerError, lambda: side.create("overloaded"))


def keys(side):
    raises(side.errors.AuthenticationError, lambda: type(side)(key="wrong").create("hello"))


def main():
    failed = 0
    for side in (OpenAI(), Anthropic()):
        checks = ["plain", "streaming", "tool_calls", "parallel_tool_calls", "bad_questions", "models", "cut"]
        steps = [(name, getattr(side, name)) for name in checks]
        steps += [("limits", lambda: limits(side)), ("keys", lambda: keys(side))]
        for name, step in steps:
            try:
                step()
                print(f"ok      {type(side).__name__} {name}")
            except Exception:
                failed += 1
                print(f"FAILED  {type(side).__name__} {name}")
                traceback.print_exc()
    print(f"openai {openai.__version__}, anthropic {anthropic.__version__}: {failed} failed")
    return 1 if failed else 0


sys.exit(main())

import { Type, type Static } from 'typebox'
import { transferModes } from '../assistant/actions.ts'
import { VariableValue } from '../assistant/variables.ts'
import { Input, Nullable, OneOf, Output, RequiredText, Text } from '../values.ts'

/** Actions of a key in the menu, which works without a model. */
export const keyDeeds = ['say', 'transfer', 'take_message', 'hang_up'] as const

/** Bookings that callers may move and cancel. */
export const calendarChanges = ['call', 'number', 'off'] as const

const Whole = (minimum: number, maximum: number, description: string) => Type.Optional(Type.Integer({ minimum, maximum, description }))
const Words = (maxLength: number, description: string) => Type.Optional(Type.String({ minLength: 1, maxLength, description }))
const Name = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$', description: 'What the model calls it: small letters, digits, underscores' })

/** Never shown again. On a change: omitted keeps it, null removes it. */
const Secret = Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 500, description: 'Never shown again; left out: stays' })))

/** The value is never shown again; on a change, a header without a value keeps its current one. */
const SecretHeader = Input({
  name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,60}$" }),
  value: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
})
const SecretHeaders = Type.Optional(Type.Array(SecretHeader, { maxItems: 10 }))

const Price = Input({
  input_per_million: Type.Number({ minimum: 0, maximum: 10_000 }),
  output_per_million: Type.Number({ minimum: 0, maximum: 10_000 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
})

const modelFields = {
  url: Type.String({
    minLength: 1,
    maxLength: 2000,
    description: 'http or https, up to where /chat/completions follows: http://127.0.0.1:11434/v1 for Ollama',
  }),
  name: RequiredText(200),
  api_key: Secret,
  headers: SecretHeaders,
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'Default 0.3' })),
  max_tokens: Whole(1, 8_000, 'Of one answer; default 300'),
  first_token_ms: Whole(500, 30_000, 'How long the model may take to begin; default 4000'),
  total_ms: Whole(1000, 120_000, 'For a whole answer; default 20000'),
  price: Type.Optional(Price),
}

const Model = Input({ ...modelFields, second: Type.Optional(Input(modelFields)) })

const Disclosure = Input({
  mode: OneOf(['first', 'off'], { description: 'first: said before everything else, and to its end; off needs a reason' }),
  text: Words(500, 'That callers talk to a machine; default: a sentence in the language of the flow'),
  texts: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z]{2,3}$' }), RequiredText(500), { description: 'In other languages' })),
  reason: Words(500, 'Why it is off; kept in the audit log'),
})

/** Also works without a model. */
const Key = Input({
  digit: Type.String({ pattern: '^[0-9*#]$' }),
  does: OneOf(keyDeeds),
  text: Words(1000, 'What is said, or said before it is done'),
  transfer_to: Words(40, 'With transfer: the name of one of tools.transfer'),
})

const HttpTool = Input({
  name: Name,
  description: RequiredText(1000),
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments: an object' })),
  url: Type.String({ minLength: 1, maxLength: 2000, description: 'http or https' }),
  method: Type.Optional(OneOf(['POST', 'GET'], { description: 'Default POST; GET puts the arguments into the query' })),
  headers: SecretHeaders,
  arguments: Type.Optional(
    Type.Record(Name, VariableValue, {
      description: 'Sent in addition to those of the model, which neither sees nor changes them; {{name}} is a variable of the call',
    }),
  ),
  timeout_ms: Whole(100, 30_000, 'Default 4000'),
  before_text: Words(200, 'Said while it is asked: “One moment, I am looking that up.”'),
  idempotent: Type.Optional(Type.Boolean({ description: 'True: asked once more when the first request failed' })),
})

const Tools = Input({
  hang_up: Type.Optional(Type.Boolean({ description: 'Default true' })),
  transfer: Type.Optional(
    Type.Array(
      Input({
        name: Name,
        target: RequiredText(40),
        when: Text(300),
        mode: Type.Optional(OneOf(transferModes)),
      }),
      { maxItems: 20, description: 'The model sees names, never numbers; each target must be among the flow’s transfer_targets' },
    ),
  ),
  send_sms: Type.Optional(
    Input({
      templates: Type.Optional(
        Type.Array(Input({ name: Name, text: RequiredText(600) }), { maxItems: 20, description: '{field} is filled in by the model' }),
      ),
      free_text: Type.Optional(Type.Boolean({ description: 'True: the model may write what it likes' })),
      per_call: Whole(1, 5, 'Default 1'),
    }),
  ),
  take_message: Type.Optional(
    Input({
      email: Words(200, 'Who is told of messages, beside the result of the call'),
      sms: Words(40, 'The same over SMS: a number'),
    }),
  ),
  collect_digits: Type.Optional(
    Input({
      most: Whole(1, 30, 'Default 20'),
      end_key: Type.Optional(OneOf(['#', '*'])),
      seconds: Whole(2, 60, 'Default 10'),
      card: Type.Optional(
        Type.Boolean({ description: 'True: always for a payment card, so the recording pauses meanwhile; otherwise the model says when' }),
      ),
    }),
  ),
  calendar: Type.Optional(
    Input({
      calendar: Type.String({ minLength: 1, maxLength: 60, description: 'The id of a calendar of the account' }),
      services: Type.Optional(
        Type.Array(RequiredText(40), { minItems: 1, maxItems: 50, description: 'Ids of the services that callers can book; missing: all' }),
      ),
      per_call: Whole(1, 10, 'Bookings of one call; default 2'),
      changes: Type.Optional(
        OneOf(calendarChanges, {
          description:
            'Bookings that callers may move and cancel: those of the same call (default), all of their number (a number can be forged), or none',
        }),
      ),
      mail: Type.Optional(Type.Boolean({ description: 'True: sent to the address that the caller gave, as a calendar file' })),
      sms: Type.Optional(Type.Boolean({ description: 'True: the time is sent to the caller over SMS' })),
    }),
  ),
  http: Type.Optional(Type.Array(HttpTool, { maxItems: 20 })),
})

const Knowledge = Input({
  use: OneOf(['tool', 'always', 'off'], {
    description: 'tool: the model asks when it needs to; always: the best passages stand before each question',
  }),
  passages: Whole(1, 10, 'At most so many; default 4'),
  embeddings: Type.Optional(Input({ url: modelFields.url, name: RequiredText(200), api_key: Secret })),
})

const Limits = Input({
  turns: Whole(1, 500, 'Of one call; default 60'),
  tool_rounds: Whole(0, 10, 'Of one turn; default 4'),
  tokens: Whole(1_000, 10_000_000, 'Of one call; default 60000'),
  seconds: Whole(10, 14_400, 'Of one call; default 900'),
  tokens_per_day: Whole(1_000, 1_000_000_000, 'Of all calls of the flow; default: no limit'),
  text: Words(500, 'Said when a limit is reached, before the assistant hangs up'),
})

const Topics = Input({
  forbidden: Type.Array(
    Input({
      name: RequiredText(100),
      words: Type.Optional(Type.Array(RequiredText(60), { maxItems: 50, description: 'An answer with one of these is not said' })),
    }),
    { maxItems: 20 },
  ),
  text: Words(500, 'Said instead'),
})

const ResultWish = Input({
  summary: Type.Optional(Type.Boolean({ description: 'Default true, where there is a model' })),
  fields: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of what is to be found out: an object' })),
  outcomes: Type.Optional(Type.Array(RequiredText(60), { maxItems: 20, description: 'One of these is chosen' })),
  webhook_url: Words(2000, 'Where the result goes: http or https, signed with the secrets of the flow'),
})

/** All settings of an assistant. */
export const AssistantSettings = Input({
  greeting: RequiredText(1000),
  prompt: Text(32_000),
  model: Type.Optional(Model),
  languages: Type.Optional(
    Type.Array(Type.String({ maxLength: 20 }), {
      maxItems: 4,
      description: 'BCP 47: spoken beside the flow’s own when callers speak them',
    }),
  ),
  time_zone: Words(60, 'Where callers expect times to be meant, such as Europe/Berlin; default UTC'),
  disclosure: Type.Optional(Disclosure),
  keys: Type.Optional(Type.Array(Key, { maxItems: 12 })),
  tools: Type.Optional(Tools),
  knowledge: Type.Optional(Knowledge),
  limits: Type.Optional(Limits),
  topics: Type.Optional(Topics),
  result: Type.Optional(ResultWish),
  failed_text: Words(500, 'Said when the model does not answer'),
})
export type AssistantSettings = Static<typeof AssistantSettings>
export type ModelSettings = Static<typeof Model>
export type HttpToolSettings = Static<typeof HttpTool>

const keySet = Type.Boolean({ description: 'There is a key; it is not shown' })
const { api_key: _model, ...modelShown } = modelFields
const { api_key: _embeddings, ...embeddingsShown } = Knowledge.properties.embeddings.properties
/** Names only. */
const ShownHeaders = Type.Optional(Type.Array(Output({ name: Type.String() })))
const ShownModel = { ...modelShown, headers: ShownHeaders, api_key_set: keySet }

/** As shown: without secret values. */
export const ShownAssistant = Output({
  ...AssistantSettings.properties,
  model: Type.Optional(Output({ ...ShownModel, second: Type.Optional(Output(ShownModel)) })),
  tools: Type.Optional(
    Output({ ...Tools.properties, http: Type.Optional(Type.Array(Output({ ...HttpTool.properties, headers: ShownHeaders }))) }),
  ),
  knowledge: Type.Optional(
    Output({ ...Knowledge.properties, embeddings: Type.Optional(Output({ ...embeddingsShown, api_key_set: keySet })) }),
  ),
})
export type ShownAssistant = Static<typeof ShownAssistant>

import { Type, type Static } from 'typebox'
import { Input, OneOf, Output, RequiredText } from '../values.ts'
import { actions, type ActionType } from './actions.ts'
import { CallFigures, Limits } from './call-figures.ts'
import { CallersVoice, Hesitation, Line } from './callers-sound.ts'
import { variablesShape } from './variables.ts'
import { sessionEndReasons } from './session.ts'

const actionTypes = Object.keys(actions) as ActionType[]

/** A sentence must occur in the speech, ignoring case, punctuation and spaces; between slashes it is a regular expression. */
const Sentence = RequiredText(2000)
const Sentences = Type.Union([Sentence, Type.Array(Sentence, { minItems: 1, maxItems: 20 })], {
  description: 'What has to occur, in this order; /…/ is a regular expression',
})

/** Covers everything since the caller’s last step. */
export const Expectation = Input({
  said: Type.Optional(Sentences),
  not_said: Type.Optional(Sentences),
  action: Type.Optional(OneOf(actionTypes, { description: 'An action that has to come' })),
  target: Type.Optional(RequiredText(40)),
  tool: Type.Optional(RequiredText(100)),
  outcome: Type.Optional(RequiredText(60)),
  ended: Type.Optional(OneOf(sessionEndReasons, { description: 'The call has to be over, for this reason' })),
  within_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 600_000, description: 'From the end of the caller’s words to the first words of the answer' }),
  ),
})
export type Expectation = Static<typeof Expectation>

/** A model plays the caller until the goal is reached or the turns are used up. */
const PlayedCaller = Input({
  persona: RequiredText(2000),
  goal: RequiredText(2000),
  turns: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
})

/** One action of the caller, or one check. */
export const ScenarioStep = Type.Union([
  Input({
    say: Sentence,
    into_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 600_000, description: 'So far into what the assistant says: an interruption' }),
    ),
    interrupts: Type.Optional(
      Type.Boolean({ default: true, description: 'With into_ms. false: such as “mhm”, during which the assistant has to speak on' }),
    ),
    hesitates: Type.Optional(
      Type.Array(Hesitation, { minItems: 1, maxItems: 20, description: 'Only in spoken calls: in the order of the words' }),
    ),
    voice: Type.Optional(CallersVoice),
    line: Type.Optional(Line),
  }),
  Input({ press: Type.String({ pattern: '^[0-9*#]{1,32}$' }) }),
  Input({ wait_seconds: Type.Number({ minimum: 0, maximum: 3600 }) }),
  Input({ hang_up: Type.Literal(true) }),
  Input({ caller: PlayedCaller }),
  Input({ expect: Expectation }),
  Input({ judge: Type.String({ minLength: 1, maxLength: 1000, description: 'What a model has to find true of the conversation so far' }) }),
])
export type ScenarioStep = Static<typeof ScenarioStep>
/** How the caller says something. */
export type Sentence = Omit<Extract<ScenarioStep, { say: unknown }>, 'say'>

/** Recorded answer of a tool in the original call: replayed without calling the tool. */
const RecordedTool = Input({
  name: RequiredText(100),
  arguments: Type.Optional(Type.Unknown()),
  result: Type.Optional(Type.Unknown()),
  status: Type.Optional(Type.Integer()),
})
export type RecordedTool = Static<typeof RecordedTool>

/** A conversation and its expected outcome: a file `*.scenario.yaml`, or stored with a flow. */
export const Scenario = Input({
  name: RequiredText(100),
  description: Type.Optional(Type.String({ maxLength: 2000 })),
  from: Type.Optional(Type.String({ maxLength: 40, description: 'Who calls' })),
  to: Type.Optional(Type.String({ maxLength: 40, description: 'Which number is called' })),
  language: Type.Optional(Type.String({ maxLength: 20, description: 'BCP 47: in which the caller speaks' })),
  variables: Type.Optional(variablesShape('Of the call, beside the defaults of the flow')),
  call: Type.Optional(Type.String({ maxLength: 100, description: 'The callId of the call that it was made from' })),
  tools: Type.Optional(Type.Array(RecordedTool, { maxItems: 200 })),
  voice: Type.Optional(CallersVoice),
  line: Type.Optional(Line),
  limits: Type.Optional(Limits),
  steps: Type.Array(ScenarioStep, { minItems: 1, maxItems: 500 }),
})
export type Scenario = Static<typeof Scenario>

const ScenarioFailure = Output({
  step: Type.Integer({ description: 'From 1: which step was not as it should be; 0: the whole' }),
  turn: Type.Integer(),
  message: Type.String({ description: 'What was expected, and what was instead' }),
})

const ScenarioMoment = Output({
  atMs: Type.Integer({ description: 'Since the beginning of the call, in the time of the conversation' }),
  turn: Type.Integer(),
  by: OneOf(['caller', 'assistant', 'service']),
  text: Type.Optional(Type.String({ description: 'What was said; of what was cut off, what was heard' })),
  cut: Type.Optional(Type.Literal(true)),
  action: Type.Optional(
    Type.String({ description: 'What was done, with what it says in brackets: transfer (p0), press (1), tool (book)' }),
  ),
})
export type ScenarioMoment = Static<typeof ScenarioMoment>

/** Report of one scenario. */
export const ScenarioReport = Output({
  name: Type.String(),
  state: OneOf(['passed', 'failed', 'error'], { description: 'error: it could not be run; the failure says why' }),
  failures: Type.Array(ScenarioFailure),
  transcript: Type.Array(ScenarioMoment),
  ended: Type.Optional(OneOf(sessionEndReasons)),
  figures: Type.Optional(CallFigures),
  conversationMs: Type.Integer({ description: 'How long the call would have lasted' }),
  tookMs: Type.Integer(),
})
export type ScenarioReport = Static<typeof ScenarioReport>

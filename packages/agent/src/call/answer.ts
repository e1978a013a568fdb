import type { ModelSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { Piece, SpeechFields, Turn } from '@offhook/sdk'
import type { Limit } from '../guard/budget.ts'
import type { Said } from '../history.ts'
import { tokensOf, type CalledTool } from '../model/messages.ts'
import { noteOf } from '../notes.ts'
import { citationOf } from '../tools/look-up.ts'
import { runTools, type RanTool } from '../tools/run-tools.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { AgentCall } from './agent-call.ts'
import { menuOf } from './keys.ts'
import { inLanguage, say } from './say.ts'
import { speakAnswer } from './speak-answer.ts'

/** Asks the model and says what it says, with the tools that it calls, until it has nothing more to do. */
export async function* answer(call: AgentCall, turn: Turn<AgentCall>): AsyncGenerator<Piece> {
  const { model } = call
  if (model) yield* answerWith(model, call, turn)
  else yield* say(call, menuOf(call) || call.failedText)
}

async function* answerWith(model: ModelSettings, call: AgentCall, turn: Turn<AgentCall>): AsyncGenerator<Piece> {
  yield* inLanguage(call)
  const signal = AbortSignal.any([turn.signal, call.interruption])
  for (let round = 0; ; round++) {
    const messages = call.history.messages()
    const limit = call.budget.exceeded(tokensOf(JSON.stringify(messages)) + (model.max_tokens ?? 300))
    if (limit) {
      yield* endFor(call, turn, limit)
      return
    }
    const said = call.history.answer()
    const mayCall = round < call.budget.toolRounds
    const completion = yield* speakAnswer(call, turn, { model, request: { messages, tools: mayCall ? call.tools : [] }, said, signal })
    said.end()
    if (!completion || completion.calls.length === 0) return
    // What was said before a tool runs is heard at once, not when the tool has answered.
    yield { flush: true }
    if (!mayCall) {
      if (completion.text.trim() === '') yield* say(call, call.failedText)
      return
    }
    if (completion.text.trim() === '') yield* beforeTexts(call, said, completion.calls)
    const end = endOf(await useTools(call, turn, said, completion.calls, signal), said)
    if (signal.aborted) return
    if (end) {
      yield end
      return
    }
  }
}

function* endFor(call: AgentCall, turn: Turn<AgentCall>, limit: Limit): Generator<Piece> {
  turn.send(noteOf('assistant', { version: call.settings.version, limit }))
  yield* say(call, call.settings.assistant.limits?.text ?? call.texts.limit)
  yield { type: 'hangup' }
}

function* beforeTexts(call: AgentCall, said: Said, calls: readonly CalledTool[]): Generator<Piece> {
  const text = call.tools.find(({ name, beforeText }) => beforeText !== undefined && calls.some((one) => one.name === name))?.beforeText
  if (text === undefined) return
  said.say(text)
  said.end()
  yield text
  yield { flush: true }
}

const useTools = async (
  call: AgentCall,
  turn: Turn<AgentCall>,
  said: Said,
  calls: readonly CalledTool[],
  signal: AbortSignal,
): Promise<RanTool[]> => {
  said.called(calls)
  const contextOf = ({ id }: CalledTool): ToolContext => ({
    signal,
    session: call.session,
    turn: turn.turn,
    callId: `${turn.turn}-${id}`,
    say: (text: string, fields: SpeechFields) => {
      said.say(text)
      said.end()
      turn.send({ type: 'speak', text, ...fields, ...(call.language !== call.settings.language && { tts: { language: call.language } }) })
    },
    listens: () => turn.send({ type: 'done' }),
    spoken: turn.spoken,
  })
  const ran = await runTools(calls, call.tools, contextOf, () => call.deps.clock.elapsed())
  for (const one of ran) note(call, turn, one)
  // Of tools that were interrupted the model is told so, not what would have come of them.
  if (!signal.aborted) for (const { call: one, run } of ran) said.result(one.id, call.untrusted.data(wordsOf(run.content)))
  return ran
}

const wordsOf = (content: unknown): string => (typeof content === 'string' ? content : JSON.stringify(content))

const note = ({ settings: { version } }: AgentCall, turn: Turn<AgentCall>, { call, run, ms }: RanTool): void => {
  const { status, content, request, response, passages } = run
  const bytes = { ...(request !== undefined && { request }), ...(response !== undefined && { response }) }
  const answered = response === undefined && !passages ? { response: wordsOf(content) } : {}
  turn.send(noteOf('tool', { version, name: call.name, arguments: call.arguments, status, ms, ...bytes, ...answered }))
  if (passages) turn.send(noteOf('knowledge', { version, query: call.arguments, passages: passages.map(citationOf) }))
}

/** The call ends or goes elsewhere only when everything else that was to be done before has been. */
const endOf = (ran: readonly RanTool[], said: Said): RanTool['run']['end'] => {
  const ends = ran.filter(({ run }) => run.end)
  if (ends.length === 0 || ran.every(({ run }) => run.status === 'ok')) return ends[0]?.run.end
  for (const { call } of ends) said.result(call.id, 'Not done, because something else failed. Tell the caller first.')
  return undefined
}

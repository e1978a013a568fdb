import type { TransferredFrom } from '@offhook/contract/assistant/events.ts'
import { live, type Live, type Piece, type Turn } from '@offhook/sdk/index.ts'
import { AgentCall, type AgentParts } from './call/agent-call.ts'
import { resultOf } from './call/result.ts'
import { keyPressed, nothingSaid, transferFailed, unclear, userSpoke } from './call/turns.ts'
import type { AgentSettings } from './host.ts'
import { sleep } from './clock.ts'
import { noteOf } from './notes.ts'
import { baseOf } from './texts.ts'
import { say } from './call/answer.ts'

const transferred = 'Another assistant had this call before you and has transferred the caller to you. What was said there:'

const lost = 'The beginning of this call is not known to you any more. Go on as well as you can, and do not greet again.'

/** Runs prompt-based assistants over the public interface. Each connection names its assistant. */
export const agent = (deps: AgentParts): Live<AgentSettings> =>
  live<AgentCall, AgentSettings>(
    {
      session_start: ({ transferred_from: before }, turn) => open(turn.state, turn, before),
      session_resume: (_, { state }) => {
        state.history.note(state.untrusted.data(lost))
        return { type: 'recording', paused: false } // the question for a card is lost, too
      },
      user_speak: userSpoke,
      assistant_speak: ({ text, heard_text }, { state }) => state.history.sounded(text ?? '', heard_text),
      dtmf_received: keyPressed,
      user_speech_unclear: unclear,
      user_input_timeout: nothingSaid,
      transfer_failed: transferFailed,
      session_end: async (_, turn) => {
        turn.state.history.interrupted(undefined)
        return resultOf(turn.state, turn)
      },
    },
    {
      state: (session, settings) => new AgentCall(deps, settings, session),
      after: (ms, task) => deps.clock.after(ms, task),
      onError: deps.onFailure,
    },
  )

/** Upper limit, so that a failing voice cannot block the greeting. */
const maxDisclosureMs = 30_000

/** Plays the disclosure to its end, then the greeting unless the caller has spoken. */
async function* open(call: AgentCall, turn: Turn<AgentCall>, before?: TransferredFrom): AsyncGenerator<Piece> {
  const { version, language, assistant } = call.settings
  turn.send(noteOf('assistant', { version, ...(call.model && { model: call.model.name }) }))
  const others = assistant.languages ?? []
  if (others.length > 0) yield { type: 'configure_transcription', languages: [...new Set([language, ...others])].slice(0, 4) }
  if (before) call.history.note(wordsOf(call, before))
  const disclosure = before?.disclosed ? undefined : disclosureOf(call)
  if (disclosure !== undefined) {
    call.history.answer().protect(disclosure)
    yield { type: 'speak', text: disclosure, protect: true }
    const over = new AbortController()
    await Promise.race([turn.spoken(), sleep(call.deps.clock, maxDisclosureMs, AbortSignal.any([over.signal, turn.signal]))])
    over.abort()
  }
  if (!turn.signal.aborted) yield* say(call, assistant.greeting)
  if (before) call.language = [language, ...others].find((one) => baseOf(one) === baseOf(before.language)) ?? language
}

/** For the model. */
const wordsOf = ({ untrusted }: AgentCall, { summary, transcript }: TransferredFrom): string => {
  const lines = transcript.map(({ by, text }) => `${by}: ${text}`)
  const words = [...(summary === undefined ? [] : [`Summary: ${summary}`]), ...lines].join('\n')
  return `${transferred} ${untrusted.data(words)}`
}

/** Disclosure in the flow's language if a text exists for it. */
const disclosureOf = ({ settings: { language, assistant }, texts }: AgentCall): string | undefined => {
  const { mode = 'first', text, texts: others = {} } = assistant.disclosure ?? {}
  return mode === 'off' ? undefined : (others[baseOf(language)] ?? text ?? texts.disclosure)
}

import { live, type Live } from '@offhook/sdk'
import { AgentCall, type AgentParts } from './call/agent-call.ts'
import { open } from './call/opening.ts'
import { resultOf } from './call/result.ts'
import { keyPressed, nothingSaid, transferFailed, unclear, userSpoke } from './call/turns.ts'
import type { AgentSettings } from './host.ts'

const lost = 'The beginning of this call is not known to you any more. Go on as well as you can, and do not greet again.'

/** An assistant from a prompt, over the interface that everybody may use. Which one it is comes with each connection. */
export const agent = (deps: AgentParts): Live<AgentSettings> =>
  live<AgentCall, AgentSettings>(
    {
      session_start: (_, turn) => open(turn.state, turn),
      session_resume: (_, { state }) => state.history.note(state.untrusted.data(lost)),
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

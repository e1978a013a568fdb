import type { Session } from '@offhook/contract/assistant/session.ts'
import { Previews } from '#core/assistant/session/preview/previews.ts'
import type { ConversationFixture } from './conversation-fixture.ts'

/** What the endpoint was asked ahead of time. */
export interface AskedAhead {
  token: string
  at: number
  answer: string
}

/**
 * A webhook that is asked ahead of time, and thinks for a while about everything: about the turn itself only if it was not asked before, or had
 * nothing to say then.
 */
export class PreviewedEndpoint {
  readonly previews: Previews
  readonly asked: AskedAhead[] = []
  /** Tokens of what was not all that the caller said. */
  readonly revoked = new Set<string>()
  /** When each turn was over, and whether what was answered before counts. */
  readonly turns: { at: number; previewed: boolean }[] = []
  #events = 0

  constructor(fixture: ConversationFixture, thinksMs: number, answer: (text: string, event: number) => string) {
    const { conversation, clock } = fixture
    const speak = (text: string) => ({ type: 'speak' as const, session_id: 'session', text: answer(text, ++this.#events) })
    const later = (act: () => void): void => void clock.after(thinksMs, act)
    this.previews = new Previews({
      clock,
      session: { id: 'session' } as Session,
      endpoint: {
        duplex: false,
        turn: 0,
        wants: () => true,
        withdraw: () => true,
        discarded: () => {},
        adopt: (eventId) => {
          const turn = this.turns.at(-1)
          if (turn) turn.previewed = true
          return { eventId, turn: 0 }
        },
        notify: (body) => {
          if (body.type === 'user_speak_revoked') this.revoked.add(body.turn_token)
          if (body.type !== 'user_speak_preview') return
          const { turn_token: token, text } = body
          const action = speak(text)
          this.asked.push({ token, at: clock.now(), answer: action.text })
          later(() => this.previews.replied(token, [action], { eventId: action.text, turn: 0 }))
        },
      },
      conversation,
      perform: (actions, { eventId }) => {
        for (const action of actions) if (action.type === 'speak') conversation.say(action, eventId)
      },
    })
    fixture.ahead = { previewed: (preview) => this.previews.begin(preview), tookBack: () => this.previews.takeBack() }
    fixture.onTold = (notified) => {
      if (notified.told !== 'said') return
      const turn = { at: clock.now(), previewed: false }
      this.turns.push(turn)
      const action = speak(notified.text)
      const answerTurn = (): void => {
        if (!turn.previewed) conversation.say(action, action.text)
      }
      this.previews.said(notified.text, () => later(answerTurn))
    }
  }

  close(): void {
    this.previews.close()
  }
}

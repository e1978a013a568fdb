import type { Session } from '@offhook/contract/assistant/session.ts'
import { Previews } from '#core/assistant/session/previews.ts'
import type { ConversationFixture } from './conversation-fixture.ts'

/** Preview request to the endpoint. */
export interface AskedAhead {
  token: string
  at: number
  answer: string
}

/**
 * Webhook with previews and a response time: responds to the turn itself only if there was no preview, or no answer to it.
 */
export class PreviewedEndpoint {
  readonly previews: Previews
  readonly asked: AskedAhead[] = []
  /** Tokens of revoked previews. */
  readonly revoked = new Set<string>()
  /** End of each turn, and whether its preview answer counts. */
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

import { setImmediate } from 'node:timers/promises'
import { live } from '@offhook/sdk'
import type { Piece } from '@offhook/sdk'

interface Kept {
  words: string[]
  keys: string
}

const story =
  'Certainly, once upon a time there was a telephone. It rang and rang, day and night, summer and winter, and nobody was at home to answer it.'

async function* tokens(text: string): AsyncGenerator<string> {
  for (const [place, word] of text.split(' ').entries()) {
    await setImmediate()
    yield place === 0 ? word : ` ${word}`
  }
}

/** All features of an assistant in TypeScript. bot.py is the same in Python: both must send the same actions for every caller. */
export const newBot = () =>
  live<Kept>(
    {
      async *session_start({ session }): AsyncGenerator<Piece> {
        yield { type: 'speak', text: 'You talk to a machine.', protect: true }
        yield 'Hello, '
        yield session.from_phone_number ?? ''
        yield '.'
      },
      async *user_speak({ text, barged_in, heard_text }, { state, spoken }): AsyncGenerator<Piece> {
        state.words.push(text)
        if (text === 'story') yield* tokens(story)
        else if (text === 'slowly') {
          yield* tokens(story)
          await spoken()
          yield 'Until somebody wrote an assistant.'
        } else if (text === 'look') {
          yield { type: 'note', name: 'tool', data: { name: 'look' } }
          yield 'One moment.'
          yield { flush: true }
          await spoken()
          yield { speech: { expects: 'yes_no' } }
          yield 'Found it. '
          yield 'Right?'
        } else if (text === 'fail') throw new Error('oh')
        else if (text === 'break') {
          yield 'It began well'
          throw new Error('oh')
        } else if (text === 'person') yield* ['I connect you.', { type: 'transfer', target: 'p0' } as const]
        else if (text === 'bye') yield* ['Goodbye.', { type: 'hangup' } as const]
        else if (text !== 'nothing') {
          yield `You said ${text}`
          if (barged_in) yield ` after ${heard_text}`
          yield '.'
        }
      },
      dtmf_received({ digit }, { state }) {
        state.keys += digit
        return digit === '#' ? [`Key ${digit}.`] : undefined
      },
      user_input_timeout: () => Promise.resolve('Are you there?'),
      async *session_end({ reason }, { state }): AsyncGenerator<Piece> {
        yield { type: 'result', outcome: reason, fields: { ...state } }
      },
    },
    { state: () => ({ words: [], keys: '' }), apology: 'Sorry, that went wrong.', onError: () => {} },
  )

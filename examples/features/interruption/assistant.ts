// Is interrupted: the handler's `signal` is aborted, `heard_text` says how far the caller has listened, and `spoken()` waits for the sound.
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const story = 'Once upon a time there was a telephone that nobody answered, until one day somebody wrote a program for it.'

const bot = live({
  session_start: () => 'Shall I tell you a story?',
  async *user_speak({ text, barged_in, heard_text = '' }, { signal, spoken }) {
    if (barged_in) {
      yield `You have heard ${heard_text.split(' ').length > 2 ? 'some of it' : 'nearly nothing'}.`
      yield { type: 'hangup' }
      return
    }
    yield text === 'no' ? 'I will, all the same. ' : 'With pleasure. '
    yield story
    await spoken() // returns early, and `signal.aborted` is true, when the caller speaks
    if (!signal.aborted) yield 'The end.'
  },
})

const { url } = await serve(bot, { port: Number(process.env.PORT ?? 3001) })
console.log(url)

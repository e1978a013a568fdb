// Speaks while it thinks: strings that are yielded are one speech, which begins to sound with the first clause.
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

/** Stands in for a language model, which gives its answer word by word. */
async function* answerOf(question: string): AsyncGenerator<string> {
  for (const word of `You asked: ${question}. I am still thinking while you hear this.`.split(/(?<= )/)) yield word
}

const bot = live({
  session_start: () => 'Ask me anything.',
  async *user_speak({ text }) {
    if (/bye/i.test(text)) {
      yield 'Goodbye!'
      yield { type: 'hangup' } // waits until everything was heard
      return
    }
    yield* answerOf(text)
    yield { flush: true } // the rest may take a while: what there is sounds now
    yield 'That is all.'
  },
})

const { url } = await serve(bot, { port: Number(process.env.PORT ?? 3001) })
console.log(url)

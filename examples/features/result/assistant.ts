// Says what came of a call: `result` is kept with the call; `send` works beside the answer and after the end.
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const bot = live<{ stars?: number }>(
  {
    session_start: () => 'How many stars do you give us?',
    user_speak: ({ text }, { state, send }) => {
      state.stars = Number(/[1-5]/.exec(text)?.[0] ?? 0)
      send({ type: 'result', outcome: 'rated', fields: { stars: state.stars } }) // the latest result counts
      return ['Thank you.', { type: 'hangup' }]
    },
    session_end: (_, { state }) => (state.stars === undefined ? { type: 'result', outcome: 'no answer' } : null),
  },
  { state: () => ({}) },
)

const { url } = await serve(bot, { port: Number(process.env.PORT ?? 3001) })
console.log(url)

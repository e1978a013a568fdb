// Remembers what a caller has said: `state` is made once for each call.
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const bot = live<{ items: string[] }>(
  {
    session_start: () => 'What would you like to order?',
    user_speak: ({ text }, { state }) => {
      if (/that is all/i.test(text)) return [`You ordered ${state.items.join(' and ')}.`, { type: 'hangup' }]
      state.items.push(text)
      return 'Anything else?'
    },
  },
  { state: () => ({ items: [] }) },
)

const { url } = await serve(bot, { port: Number(process.env.PORT ?? 3001) })
console.log(url)

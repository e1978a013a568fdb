// Takes keys: the flow needs `extended_events: ["dtmf_received"]` (`offhook dev --events`).
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const menu = 'Press one for our hours, or nine to hang up.'

const bot = live({
  session_start: () => menu,
  dtmf_received: ({ digit }) => {
    if (digit === '1') return 'We are open from nine to five.'
    return digit === '9' ? ['Goodbye!', { type: 'hangup' }] : menu
  },
  user_speak: () => menu,
})

const { url } = await serve(bot, { port: Number(process.env.PORT ?? 3001) })
console.log(url)

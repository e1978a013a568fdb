// Hands the caller to a person, who hears a briefing first. The flow names the allowed targets: `transfer_targets`.
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const bot = live({
  session_start: () => 'Reception. Whom would you like to talk to?',
  user_speak: ({ text }) => [
    'One moment, please.',
    { type: 'transfer', target: 'p0', mode: 'warm', briefing: `A caller says: ${text}` }, // `mode: 'blind'` rings without a briefing
  ],
  transfer_failed: () => ['Nobody answers. Please call again later.', { type: 'hangup' }],
})

const { url } = await serve(bot, { port: Number(process.env.PORT ?? 3001) })
console.log(url)

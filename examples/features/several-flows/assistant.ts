// Serves several flows on one port, each at its own path and with its own key if `{ bot, apiKey }` names one; here they share it.
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const department = (name: string) =>
  live({
    session_start: () => `This is ${name}.`,
    user_speak: () => [`${name} will call you back. Goodbye.`, { type: 'hangup' }],
  })

const { API_KEY: apiKey } = process.env
const flows = { '/': department('the reception'), '/sales': department('sales'), '/support': department('support') }
const { url } = await serve(flows, { port: Number(process.env.PORT ?? 3001), apiKey })
console.log(url)

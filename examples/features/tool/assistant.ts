// Uses a tool: `tool()` checks a model's arguments, runs your function, answers with text, and notes it in the timeline of the call.
import { live, tool } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const stock: Record<string, number> = { soup: 3, pie: 0 }

const lookUp = tool({
  name: 'look_up',
  description: 'How many of a dish are left.',
  parameters: { type: 'object', properties: { dish: { type: 'string' } }, required: ['dish'] } as const,
  run: ({ dish }) => `${stock[dish] ?? 0} left`,
})

const bot = live({
  session_start: () => 'Which dish would you like?',
  async *user_speak({ text }, turn) {
    yield 'One moment. '
    yield { flush: true } // sounds while the tool runs
    const dish = Object.keys(stock).find((one) => text.includes(one)) ?? ''
    yield `There are ${await lookUp.call(JSON.stringify({ dish }), turn)}.` // the arguments of a model are text, too
  },
})

const { url } = await serve(bot, { port: Number(process.env.PORT ?? 3001) })
console.log(url)

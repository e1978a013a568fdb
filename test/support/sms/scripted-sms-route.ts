import type { SmsPart, SmsRoute } from '#core/kernel/ports/messages.ts'
import type { World } from '../world/world.ts'

type Answer = { id: string } | Error

/** Message centre that accepts and numbers everything, unless the test overrides it. */
export class ScriptedSmsRoute implements SmsRoute {
  readonly name: string
  readonly takes: SmsRoute['takes']
  readonly submitted: SmsPart[] = []
  /** Response; a message is added to `submitted` whatever the response is. */
  answer: (part: SmsPart) => Answer | Promise<Answer> = () => ({ id: String(this.submitted.length) })

  constructor({ name = 'smpp', takes = 'parts' }: { name?: string; takes?: SmsRoute['takes'] } = {}) {
    this.name = name
    this.takes = takes
  }

  async submit(part: SmsPart): Promise<{ id: string }> {
    this.submitted.push(part)
    const answer = await this.answer(part)
    if (answer instanceof Error) throw answer
    return answer
  }
}

/** Makes this service carry messages to other networks. */
export const addSmsRoute = ({ running }: World, route = new ScriptedSmsRoute()): ScriptedSmsRoute => {
  const routes = running.deps.sms.routes as SmsRoute[]
  routes.push(route)
  return route
}

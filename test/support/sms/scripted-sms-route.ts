import type { SmsPart, SmsRoute } from '#core/kernel/ports/sms-routes.ts'
import type { World } from '../world/world.ts'

type Answer = { id: string } | Error

/** A message centre that takes everything and numbers it, unless the test says otherwise. */
export class ScriptedSmsRoute implements SmsRoute {
  readonly name: string
  readonly takes: SmsRoute['takes']
  readonly submitted: SmsPart[] = []
  /** How it answers; a message is put into `submitted` whatever the answer is. */
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

/** From now on this service carries messages to other networks. */
export const addSmsRoute = ({ running }: World, route = new ScriptedSmsRoute()): ScriptedSmsRoute => {
  const routes = running.deps.sms.routes as SmsRoute[]
  routes.push(route)
  return route
}

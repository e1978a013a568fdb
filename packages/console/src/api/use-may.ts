import type { Restriction } from '@offhook/contract/restrictions.ts'
import { useSession } from './session.ts'
import { useRead } from './use-service.ts'

/** Whether the user may do something, as the service says. Until it has said so: no. */
export const useMay = (): ((needed: Restriction) => boolean) => {
  const session = useSession('user')
  const { data } = useRead('listRestrictions', {}, { when: session.token !== undefined })
  return (needed) => data?.items.some(({ restriction, value }) => restriction === needed && value) ?? false
}

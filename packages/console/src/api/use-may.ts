import type { Restriction } from '@offhook/contract/restrictions.ts'
import { useSession } from './session.ts'
import { useRead } from './use-service.ts'

/** Whether the user has a permission, as the service reports. False until known. */
export const useMay = (): ((needed: Restriction) => boolean) => {
  const session = useSession('user')
  const { data } = useRead('listRestrictions', {}, { when: session.token !== undefined })
  return (needed) => data?.items.some(({ restriction, value }) => restriction === needed && value) ?? false
}

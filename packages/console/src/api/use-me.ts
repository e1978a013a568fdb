import { useSession } from './session.ts'
import { useRead, type OutputOf } from './use-service.ts'

/** The user who is logged in; undefined until it is known. */
export const useMe = (): OutputOf<'getUser'> | undefined => {
  const session = useSession('user')
  const { data: info } = useRead('getUserInfo', {}, { when: session.token !== undefined })
  return useRead('getUser', { userId: info?.sub ?? '' }, { when: info !== undefined }).data
}

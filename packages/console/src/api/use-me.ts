import { useSession } from './session.ts'
import { useRead, type OutputOf } from './use-service.ts'

/** The logged-in user; undefined until known. */
export const useMe = (): OutputOf<'getUser'> | undefined => {
  const session = useSession('user')
  const { data: info } = useRead('getUserInfo', {}, { when: session.token !== undefined })
  return useRead('getUser', { userId: info?.sub ?? '' }, { when: info !== undefined }).data
}

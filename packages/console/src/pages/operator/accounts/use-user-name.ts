import { useRead } from '#api/use-service.ts'
import { fullName } from '#lazy-parts/people.ts'

/** The name of a user of the account; the id until it is known. */
export const useUserName = (accountId: string): ((userId: string) => string) => {
  const { data } = useRead('listAccountUsers', { accountId })
  return (userId) => {
    const user = data?.items.find(({ id }) => id === userId)
    return user ? fullName(user) : userId
  }
}

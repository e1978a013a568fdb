import { useRead } from '#api/use-service.ts'

/** The numbers of a user or a group, short ones first; visible to all users of the account. */
export const useNumbersOf = (): ((id: string) => string[]) => {
  const entries = useRead('listInternalContacts').data?.items ?? []
  return (id) => {
    const entry = entries.find((one) => one.id === id)
    return entry ? [...entry.directdial, ...entry.landline, ...entry.mobile] : []
  }
}

import { useRead } from '#api/use-service.ts'

/** The numbers under which a user or a group is called, short ones first; all users of the account may know them. */
export const useNumbersOf = (): ((id: string) => string[]) => {
  const entries = useRead('listInternalContacts').data?.items ?? []
  return (id) => {
    const entry = entries.find((one) => one.id === id)
    return entry ? [...entry.directdial, ...entry.landline, ...entry.mobile] : []
  }
}

import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useAccounts } from './use-accounts.ts'

/** The account's name, leading to it. */
export const AccountLink = ({ accountId }: { accountId: string }) => {
  const company = useAccounts().data?.find(({ id }) => id === accountId)?.company
  return (
    <Anchor component={Link} href={`/operator/accounts/${accountId}`} size="sm">
      {company ?? accountId}
    </Anchor>
  )
}

import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useCompany } from './find-accounts.ts'

/** The account's name, leading to it. */
export const AccountLink = ({ accountId }: { accountId: string }) => (
  <Anchor component={Link} href={`/operator/accounts/${accountId}`} size="sm">
    {useCompany(accountId) ?? accountId}
  </Anchor>
)

import { Anchor, Group } from '@mantine/core'
import { Link, useParams } from 'wouter'
import { useRead } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { AccountAddresses } from './account-addresses.tsx'
import { AccountBalance } from './account-balance.tsx'
import { AccountDevices } from './account-devices.tsx'
import { AccountFacts } from './account-facts.tsx'
import { AccountFeatures } from './account-features.tsx'
import { AccountGroups } from './account-groups.tsx'
import { AccountLimits } from './account-limits.tsx'
import { AccountOutbound } from './account-outbound.tsx'
import { AccountUsers } from './account-users.tsx'
import { text } from './text.ts'

/** Everything about one account. */
export const AccountPage = () => {
  const say = useText(text)
  const { accountId = '' } = useParams()
  const account = useRead('readAccount', { accountId })
  return (
    <Page
      title={account.data?.company ?? accountId}
      back={{ to: '/operator/accounts', label: say.back }}
      description={
        <Group gap="md">
          <Anchor component={Link} href={`/operator/numbers?account=${accountId}`} size="sm">
            {say.numbers}
          </Anchor>
          <Anchor component={Link} href={`/operator/portings?account=${accountId}`} size="sm">
            {say.portings}
          </Anchor>
          <Anchor component={Link} href={`/operator/audit?chain=${accountId}`} size="sm">
            {say.audit}
          </Anchor>
        </Group>
      }
    >
      <Loaded query={account}>
        {(found) => (
          <>
            <AccountFacts account={found} />
            <AccountBalance accountId={accountId} />
            <AccountLimits accountId={accountId} />
            <AccountOutbound accountId={accountId} />
            <AccountFeatures accountId={accountId} />
            <AccountUsers accountId={accountId} />
            <AccountDevices accountId={accountId} />
            <AccountGroups accountId={accountId} />
            <AccountAddresses accountId={accountId} country={found.country} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

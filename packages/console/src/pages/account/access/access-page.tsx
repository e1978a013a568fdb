import { useMay } from '#api/use-may.ts'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { ConnectAssistant } from './leash/connect-assistant.tsx'
import { OauthClients } from './oauth-clients.tsx'
import { PersonalTokens } from './personal-tokens.tsx'
import { text } from './text.ts'
import { Text } from '@mantine/core'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { text as accountText } from '../parts/text.ts'
import { text as leashText } from './leash/text.ts'
import { useLeashes, type UsedLeashes } from './leash/use-leashes.tsx'

export const AccessPage = () => {
  const say = useText(text)
  const may = useMay()
  return (
    <Page title={say.title} description={say.lead}>
      {may('CAN_MANAGE_TOKENS') && <ConnectedApps />}
      {may('CAN_MANAGE_TOKENS') && <PersonalTokens />}
      {may('CAN_MANAGE_TOKENS') && <ConnectAssistant />}
      {may('CAN_MANAGE_OAUTH_CLIENTS') && <OauthClients />}
    </Page>
  )
}

type App = OutputOf<'listGrants'>['items'][number]

/** Third-party programs that the person has authorized. */
export const ConnectedApps = () => {
  const say = useText(text)
  const apps = useRead('listGrants')
  const leashes = useLeashes()
  const columns = useColumns(leashes)
  const actionsOf = useRowActions(leashes)
  return (
    <Section title={say.apps} description={say.appsHint} flush>
      <List
        name="apps"
        query={apps}
        label={say.apps}
        columns={columns}
        rowKey={({ grantId }) => grantId}
        rowActions={actionsOf}
        empty={
          <EmptyState icon="link" title={say.appsEmpty}>
            {say.appsEmptyHint}
          </EmptyState>
        }
      />
      {leashes.modal}
    </Section>
  )
}

const useColumns = ({ cell }: UsedLeashes): Column<App>[] => {
  const say = useText(text)
  const { leash } = useText(leashText)
  const { name } = useText(accountText)
  return [
    { key: 'name', header: name, cell: ({ clientName }) => clientName },
    {
      key: 'scopes',
      header: say.scopes,
      cell: ({ scopes }) => (scopes.includes('all') ? say.everything : <Text inherit>{scopes.join(', ')}</Text>),
    },
    { key: 'leash', header: leash, cell: ({ clientId }) => cell(clientId) },
    {
      key: 'createdAt',
      header: say.allowedAt,
      value: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
    {
      key: 'lastUsedAt',
      header: say.lastUsed,
      value: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ lastUsedAt }) => lastUsedAt !== undefined && <Time at={lastUsedAt} relative />,
    },
  ]
}

const useRowActions = ({ action }: UsedLeashes) => {
  const say = useText(text)
  const { actionsFor } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const withdraw = useWrite('deleteGrant', { refreshes: ['listGrants'], onDone: () => toast.done(say.withdrawn) })
  const ask = async ({ grantId, clientName }: App): Promise<void> => {
    if (await confirm({ title: say.withdrawTitle(clientName), body: say.withdrawBody, confirm: say.withdraw }))
      withdraw.mutate([{ grantId }], { onError: (error) => toast.failed(error) })
  }
  return (app: App) => (
    <RowMenu
      label={actionsFor(app.clientName)}
      actions={[
        action({ leashId: app.clientId, name: app.clientName }),
        { label: say.withdraw, icon: 'trash', danger: true, onClick: () => void ask(app) },
      ]}
    />
  )
}

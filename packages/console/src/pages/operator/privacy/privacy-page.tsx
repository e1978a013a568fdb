import { useRead } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { Page } from '#parts/page/page.tsx'
import { ErasureList } from '#lazy-parts/privacy/erasure-list.tsx'
import { ExportList } from '#lazy-parts/privacy/export-list.tsx'
import { useText } from '#words/use-text.tsx'
import { text as privacyText } from '#pages/privacy/text.ts'
import { AccountLink } from '../parts/account-link.tsx'
import { text as sharedText } from '../parts/text.ts'

/** Milliseconds; exports and erasures change state on their own. */
const every = 5_000

export const OperatorPrivacyPage = () => {
  const say = useText(privacyText)
  const { account } = useText(sharedText)
  const exports = useRead('listAccountExports', {}, { every })
  const erasures = useRead('listAccountErasures', {}, { every })
  const column = <Row extends { accountId: string }>(): Column<Row> => ({
    key: 'account',
    header: account,
    value: ({ accountId }) => accountId,
    cell: ({ accountId }) => <AccountLink accountId={accountId} />,
  })
  return (
    <Page title={say.title} description={say.operatorLead}>
      <ErasureList query={erasures} nameOf={() => undefined} asOperator firstColumns={[column()]} />
      <ExportList query={exports} nameOf={() => undefined} asOperator firstColumns={[column()]} />
    </Page>
  )
}

import { useRead } from '#api/use-service.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import { NodeMenu } from './node-menu.tsx'
import { type ServiceNode, useNodeColumns } from './use-node-columns.tsx'

/** The processes of the installation, and what they have to do. */
export const NodesPage = () => {
  const say = useText(text)
  const nodes = useRead('listNodes', {}, { every: 3_000 })
  const columns = useNodeColumns()
  const isLast = (node: ServiceNode): boolean => !nodes.data?.items.some(({ id, state }) => id !== node.id && state === 'RUNNING')
  return (
    <Page title={say.title} description={say.description}>
      <Section flush>
        <List
          query={nodes}
          label={say.list}
          columns={columns}
          rowKey={({ id }) => id}
          rowActions={(node) => <NodeMenu node={node} isLast={isLast(node)} />}
          empty={
            <EmptyState icon="node" title={say.none}>
              {say.noneHint}
            </EmptyState>
          }
        />
      </Section>
    </Page>
  )
}

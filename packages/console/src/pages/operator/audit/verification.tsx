import { Alert, List } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { OutputOf } from '#api/use-service.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** Result of recomputing every hash. */
export const Verification = ({ result }: { result: UseQueryResult<OutputOf<'verifyAudit'>> }) => {
  const say = useText(text)
  const format = useFormat()
  return (
    <Loaded query={result}>
      {({ chains, entries, broken }) =>
        broken.length === 0 ? (
          <Alert color="pine" role="status" icon={<Icon name="check" />}>
            {say.intact(format.number(entries), format.number(chains))}
          </Alert>
        ) : (
          <Alert color="red" role="alert" icon={<Icon name="alert" />} title={say.broken}>
            <List size="sm">
              {broken.map(({ chain, seq }) => (
                <List.Item key={chain}>{say.brokenAt(chain, seq)}</List.Item>
              ))}
            </List>
          </Alert>
        )
      }
    </Loaded>
  )
}

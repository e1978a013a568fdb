import { Alert, List } from '@mantine/core'
import { useRead } from '../../../api/use-service.ts'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { useFormat } from '../../../parts/use-format.ts'
import { useText } from '../../../words/use-text.tsx'
import { text } from './text.ts'

/** Has the service compute every hash again, and says what it found. */
export const Verification = () => {
  const say = useText(text)
  const format = useFormat()
  const result = useRead('verifyAudit')
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

import { Text } from '@mantine/core'
import { useRead } from '#api/use-service.ts'
import { useFormat } from '#parts/value/use-format.ts'

/** Numbers whose calls the flow gets. */
export const useLedNumbers = (flowId: string) => {
  const numbers = useRead('listNumbers')
  return numbers.data?.items.filter(({ endpointId }) => endpointId === flowId) ?? []
}

export const LedNumbers = ({ flowId }: { flowId: string }) => {
  const format = useFormat()
  const numbers = useLedNumbers(flowId)
  if (numbers.length === 0)
    return (
      <Text span c="dimmed">
        –
      </Text>
    )
  return numbers.map(({ number }) => (
    <Text key={number} size="sm" style={{ whiteSpace: 'nowrap' }}>
      {format.phone(number)}
    </Text>
  ))
}

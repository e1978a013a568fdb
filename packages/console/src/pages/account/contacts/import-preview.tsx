import { Alert, List, Stack, Table, Text } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

const maxProblems = 5

/** What an import would do. */
export const ImportPreview = ({ outcome }: { outcome: OutputOf<'importContacts'> }) => {
  const say = useText(text)
  const { created, merged, skipped, problems, preview = [] } = outcome
  return (
    <Stack gap="sm">
      <Text role="status" fw={550}>
        {say.outcome(created, merged, skipped)}
      </Text>
      {problems.length > 0 && (
        <Alert color="yellow" title={say.problems(problems.length)}>
          <List size="sm">
            {problems.slice(0, maxProblems).map(({ line, message }, at) => (
              <List.Item key={at}>{say.inLine(line, message)}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Table.ScrollContainer minWidth={300} mah={260} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': say.preview } }}>
        <Table aria-label={say.preview}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say.name}</Table.Th>
              <Table.Th>{say.numbers}</Table.Th>
              <Table.Th>{say.what}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {preview.map(({ name, numbers, action }, at) => (
              <Table.Tr key={at}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{numbers.join(', ')}</Table.Td>
                <Table.Td>{say.actions[action]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

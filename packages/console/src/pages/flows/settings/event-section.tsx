import { Button, Checkbox, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { extendedEvents, withUsualEvents, type FlowForm } from './flow-form.ts'
import { text } from './event-text.ts'

/** Additional events for the endpoint. */
export const EventSection = ({ form }: { form: Form<FlowForm> }) => {
  const say = useText(text)
  const named = form.values.extended_events
  const more = withUsualEvents(named)
  const all = more.length > named.length && (
    <Button variant="default" size="xs" onClick={() => form.set('extended_events', more)}>
      {say.all}
    </Button>
  )
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text size="sm" c="dimmed" flex="1 1 20rem">
          {say.eventsHint}
        </Text>
        {all}
      </Group>
      <Checkbox.Group aria-label={say.events} {...form.value('extended_events')} onChange={(chosen) => form.set('extended_events', chosen)}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          {extendedEvents.map((name) => (
            <Checkbox key={name} value={name} label={<Code>{name}</Code>} description={say.when[name]} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
    </Stack>
  )
}

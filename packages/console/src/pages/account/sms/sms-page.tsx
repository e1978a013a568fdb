import { Tabs } from '@mantine/core'
import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { Messages } from './messages.tsx'
import { SmsLines } from './sms-lines.tsx'
import { text } from './text.ts'

export const SmsPage = () => {
  const say = useText(text)
  return (
    <Page title={say.title} description={say.lead}>
      <Tabs defaultValue="messages" keepMounted={false}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="messages">{say.messages}</Tabs.Tab>
          <Tabs.Tab value="lines">{say.lines}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="messages">
          <Messages />
        </Tabs.Panel>
        <Tabs.Panel value="lines">
          <SmsLines />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

export interface PushSettings {}

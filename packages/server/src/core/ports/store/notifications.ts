export interface Notifications {}

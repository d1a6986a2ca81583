import { stem } from './stem.ts';

/**
 * Words of Chinese tool descriptions with their English terms. Both sides of a search are translated, so a query in one language finds
 * tools that are described in the other.
 */
const GLOSSARY = `
搜索 search|查询 query search|检索 search retrieve|查找 find search|获取 get|读取 read|写入 write|创建 create|新建 create|删除 delete|更新 update|修改 edit update
编辑 edit|保存 save|下载 download|上传 upload|转换 convert|翻译 translate|生成 generate create|绘制 draw|分析 analyze analysis|计算 calculate|统计 statistics|推荐 recommend
预订 book reservation|购买 buy purchase|发送 send|接收 receive|发布 publish post|列出 list|列表 list|排序 sort|比较 compare|验证 validate|执行 run execute|运行 run|部署 deploy
打开 open|关闭 close|插入 insert|复制 copy|移动 move|合并 merge|拆分 split|提取 extract|导入 import|导出 export|总结 summary summarize|摘要 summary|监控 monitor
新闻 news|资讯 news|热点 trending hot|热榜 trending ranking hot list|热搜 trending search|热门 popular trending|排行 ranking rank|榜单 ranking list|趋势 trend|文章 article|博客 blog
论文 paper|书籍 book|图书 book|阅读 reading|小说 novel|电影 movie|电视 television|视频 video|音乐 music|歌曲 song|图片 image|图像 image|照片 photo|图标 icon|图表 chart
文件 file|文档 document|文件夹 folder directory|目录 directory|路径 path|表格 table sheet|幻灯片 slide|演示文稿 presentation|文本 text|字符 character|代码 code|网页 web page|网站 website
链接 link url|浏览器 browser|域名 domain|关键词 keyword|标题 title|内容 content|数据 data|数据库 database|信息 information|详情 detail|参数 parameter|格式 format|元数据 metadata
天气 weather|日期 date|时间 time|日历 calendar|农历 lunar calendar|阳历 solar calendar|八字 bazi fortune|命理 fortune|节气 solar term|地图 map|地址 address|位置 location|坐标 coordinate|路线 route
导航 navigation|交通 traffic transport|火车 train|列车 train|车次 train|车站 station|车票 ticket|余票 ticket|高铁 train rail|航班 flight|机票 flight ticket|酒店 hotel|旅游 travel|旅行 travel trip|景点 attraction
餐厅 restaurant|美食 food|菜谱 recipe|食谱 recipe|菜品 dish|烹饪 cooking|食材 ingredient|健康 health|医疗 medical|运动 sport|股票 stock|基金 fund|价格 price|汇率 exchange rate|货币 currency
金融 finance|财经 finance news|经济 economy|商品 product|购物 shopping|优惠 deal discount|消费 consumer shopping|订单 order|支付 payment|公司 company|用户 user|账号 account|评论 comment review|消息 message|邮件 email
游戏 game|角色 character|声骸 echo artifact|武器 weapon|卡片 card|卡牌 card|玩家 player|动漫 anime|娱乐 entertainment|社交 social|科技 technology|技术 technology|开发 development|工具 tool|服务 service
城市 city|国家 country|中国 china|历史 history|学习 learning|教育 education|问题 question problem|答案 answer|知识 knowledge|社区 community|项目 project|任务 task|笔记 note|记忆 memory
微博 weibo|知乎 zhihu|豆瓣 douban|抖音 douyin tiktok|哔哩哔哩 bilibili|百度 baidu|必应 bing|微信 wechat|头条 headline toutiao|腾讯 tencent|网易 netease|掘金 juejin|少数派 sspai
`;

let wordsOnce: readonly (readonly [string, string])[] | undefined;

/** Chinese words and their English terms; built on first use. */
function glossary(): readonly (readonly [string, string])[] {
  wordsOnce ??= GLOSSARY.trim()
    .split(/[|\n]/)
    .map((line) => line.trim().split(' '))
    .map(([chinese = '', ...english]) => [chinese, english.map((word) => stem(word)).join(' ')] as const);
  return wordsOnce;
}

const HAN = /\p{Script=Han}/u;

/** The English terms of the Chinese words in a text, with repetitions. */
export function translateCjk(text: string): string[] {
  if (!HAN.test(text)) return [];
  const terms: string[] = [];
  for (const [chinese, english] of glossary()) if (text.includes(chinese)) terms.push(...english.split(' '));
  return terms;
}
